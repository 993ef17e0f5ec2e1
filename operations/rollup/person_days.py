"""How many mails people got on each day, counted once the hourly figures know of more mails."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from operations.models import MailDay
from operations.rollup.counting import PROVIDERS_CTE

MOST = 10
"""Who got more mails than this on a day is counted together."""
CHANGED_SQL = """
SELECT known.day, known.sent FROM (
    SELECT (hour AT TIME ZONE %(zone)s)::date AS day, sum(sent) AS sent
    FROM operations_hourlyfigures WHERE channel = 'email' GROUP BY 1
) AS known LEFT JOIN operations_mailday AS counted USING (day)
WHERE known.sent > 0 AND known.sent IS DISTINCT FROM counted.sent
ORDER BY known.day
"""
COUNT_SQL = f"""
WITH {PROVIDERS_CTE}, got AS (
    SELECT delivery.user_id, count(*) AS mails
    FROM provider JOIN notifications_delivery AS delivery
      ON delivery.provider = provider.name
     AND delivery.dispatched_at >= %(start)s AND delivery.dispatched_at < %(end)s
    WHERE delivery.state = 'sent' AND delivery.channel = 'email'
      AND delivery.user_id IS NOT NULL
    GROUP BY delivery.user_id
)
SELECT least(mails, %(most)s)::int, count(*)::int, sum(mails)::int FROM got GROUP BY 1
"""  # noqa: S608 - the parts are constants


def roll_up_person_days(*, now: datetime) -> int:
    """Count the days of which the hourly figures know more mails; how many days.

    Days are of the site's time zone. A day that would lose mails has been pruned, or its people
    have gone: it stays as it was.
    """
    days = _changed_days()
    for day, sent in days:
        with transaction.atomic():
            _store(day, sent, _counted(day))
    return len(days)


def _changed_days() -> list[tuple[date, int]]:
    with connection.cursor() as cursor:
        cursor.execute(CHANGED_SQL, {"zone": timezone.get_default_timezone_name()})
        return cursor.fetchall()


def _counted(day: date) -> list[tuple[int, int, int]]:
    """(mails a person, people, mails in all)."""
    zone = timezone.get_default_timezone()
    start = datetime.combine(day, datetime.min.time(), zone)
    end = datetime.combine(day + timedelta(days=1), datetime.min.time(), zone)
    values: dict[str, Any] = {"start": start, "end": end, "most": MOST}
    with connection.cursor() as cursor:
        cursor.execute(COUNT_SQL, values)
        return cursor.fetchall()


def _store(day: date, sent: int, counted: list[tuple[int, int, int]]) -> None:
    people = [0] * MOST
    for mails, number, _total in counted:
        people[mails - 1] = number
    total = sum(row[2] for row in counted)
    stored, is_new = MailDay.objects.select_for_update().get_or_create(
        day=day, defaults={"sent": sent, "mails": total, "people": people}
    )
    if is_new:
        return
    stored.sent = sent
    if total >= stored.mails:
        stored.mails, stored.people = total, people
    stored.save()
