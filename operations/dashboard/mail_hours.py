"""Mails an hour: the last 48 hours from the hourly figures, the last moments from the ledger."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Sum

from operations.dashboard.links import Links
from operations.models import HourlyFigures, RollupProgress
from operations.rollup.counting import PROVIDERS_CTE
from operations.rollup.touched import full_hour

HOUR = timedelta(hours=1)
SHOWN = 48
# Longer ago, and counting what came since may take too long: then the page says so instead.
LATE = timedelta(minutes=10)
SINCE_SQL = f"""
WITH {PROVIDERS_CTE}
SELECT date_trunc('hour', dispatched_at, 'UTC'), count(*)
FROM provider JOIN notifications_delivery AS delivery
  ON delivery.provider = provider.name AND delivery.dispatched_at >= %(since)s
WHERE delivery.state = 'sent' GROUP BY 1
"""  # noqa: S608 - the parts are constants


@dataclass(frozen=True, slots=True)
class HourOfMail:
    """Messages handed over in the hour from `start` on, and sent."""

    start: datetime
    sent: int
    href: str


@dataclass(frozen=True, slots=True)
class MailHours:
    """The hours, the current one last. `counted_until` is None before the first count.

    `is_late`: nobody has counted for a while, so the last hours are not complete.
    """

    hours: list[HourOfMail]
    counted_until: datetime | None
    is_late: bool
    last_day_href: str

    @property
    def last_hour(self) -> HourOfMail:
        """The hour that is not over."""
        return self.hours[-1]

    @property
    def last_day(self) -> int:
        """Sent in the current hour and the 23 before it."""
        return sum(hour.sent for hour in self.hours[-24:])


def mail_hours(*, now: datetime, links: Links) -> MailHours:
    """Two or three statements, whatever the ledger's length."""
    last = full_hour(now)
    first = last - (SHOWN - 1) * HOUR
    rows = HourlyFigures.objects.filter(hour__gte=first, hour__lte=last).values("hour")
    sent = dict(rows.annotate(number=Sum("sent")).values_list("hour", "number"))
    progress = RollupProgress.current()
    counted_until = progress.counted_until if progress else None
    is_late = counted_until is None or now - counted_until > LATE
    if counted_until and not is_late:
        for hour, number in _sent_since(counted_until):
            sent[hour] = sent.get(hour, 0) + number
    return MailHours(
        hours=[
            HourOfMail(hour, sent.get(hour, 0), links.sent_between(hour, hour + HOUR))
            for hour in (first + number * HOUR for number in range(SHOWN))
        ],
        counted_until=counted_until,
        is_late=is_late,
        last_day_href=links.sent_between(last - 23 * HOUR, last + HOUR),
    )


def _sent_since(since: datetime) -> list[tuple[datetime, int]]:
    with connection.cursor() as cursor:
        cursor.execute(SINCE_SQL, {"since": since})
        return cursor.fetchall()
