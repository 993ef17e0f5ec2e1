"""The hourly figures: each pass counts anew the hours in which something has changed."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import Max

from notifications.models import DeliveryEvent
from operations.models import RollupProgress
from operations.rollup.counting import count_hours
from operations.rollup.touched import all_hours, changed_hours

# Numbers are given to events before they are committed: each is looked at again for so long, which
# no request that stores events lives.
EVENTS_SETTLE = timedelta(minutes=10)
# Any number that nobody else uses as an advisory lock.
LOCK = 7_301_422_018


def roll_up(*, now: datetime) -> int:
    """Bring the hourly figures up to `now`; how many hours were counted.

    The first time, and after `RollupProgress` was deleted, every hour of the ledger. A pass that
    finds another one at work does nothing. One transaction: a pass that fails has done nothing.
    """
    with transaction.atomic():
        if not _is_alone():
            return 0
        progress = RollupProgress.current()
        newest = DeliveryEvent.objects.aggregate(newest=Max("pk"))["newest"] or 0
        if progress is None:
            progress = RollupProgress(counted_until=now, newest_event_at=now, newest_event=newest)
            hours = all_hours(until=now)
        else:
            hours = changed_hours(
                since=min(progress.counted_until, now),
                after_event=progress.looked_at_event,
                until=now,
            )
        count_hours(hours, until=now)
        _go_on(progress, newest, now)
    return len(hours)


def _is_alone() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [LOCK])
        return bool(cursor.fetchone()[0])


def _go_on(progress: RollupProgress, newest: int, now: datetime) -> None:
    progress.counted_until = now
    if now - progress.newest_event_at >= EVENTS_SETTLE:
        progress.looked_at_event = progress.newest_event
        progress.newest_event, progress.newest_event_at = newest, now
    progress.save()
