"""Which hours' figures may have changed since the last count."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.db import connection

from operations.rollup.counting import PROVIDERS_CTE

HOUR = timedelta(hours=1)
OLDEST_SQL = f"""
WITH {PROVIDERS_CTE}
SELECT min((
    SELECT dispatched_at FROM notifications_delivery AS delivery
    WHERE delivery.provider = provider.name AND dispatched_at IS NOT NULL
    ORDER BY dispatched_at LIMIT 1
))
FROM provider WHERE name IS NOT NULL
"""  # noqa: S608 - the parts are constants
EVENTS_SQL = """
SELECT DISTINCT date_trunc('hour', delivery.dispatched_at, 'UTC')
FROM notifications_deliveryevent AS event
JOIN notifications_delivery AS delivery ON delivery.id = event.delivery_id
WHERE event.id > %(after)s AND delivery.dispatched_at < %(until)s
"""
# Both states have an index of their own; an hour whose number differs has had a settlement.
SETTLED_SQL = """
WITH now_open AS (
    SELECT date_trunc('hour', dispatched_at, 'UTC') AS hour, count(*) AS number FROM (
        SELECT dispatched_at FROM notifications_delivery
        WHERE state IN ('uncertain', 'dead') AND state = 'uncertain'
        UNION ALL
        SELECT dispatched_at FROM notifications_delivery
        WHERE state IN ('claimed', 'dispatching') AND state = 'dispatching'
    ) AS unsettled
    WHERE dispatched_at < %(until)s GROUP BY 1
), then_open AS (
    SELECT hour, sum(unsettled) AS number FROM operations_hourlyfigures
    WHERE unsettled > 0 GROUP BY hour
)
SELECT hour FROM now_open FULL JOIN then_open USING (hour)
WHERE now_open.number IS DISTINCT FROM then_open.number
"""


def full_hour(moment: datetime) -> datetime:
    """The full hour of UTC that `moment` is in."""
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def hours_between(first: datetime, last: datetime) -> list[datetime]:
    """The full hours that `first` and `last` are in, and all between."""
    hour, hours = full_hour(first), []
    while hour <= last:
        hours.append(hour)
        hour += HOUR
    return hours


def all_hours(*, until: datetime) -> list[datetime]:
    """Every hour since the oldest delivery that was handed over."""
    with connection.cursor() as cursor:
        cursor.execute(OLDEST_SQL)
        oldest = cursor.fetchone()[0]
    return hours_between(oldest, until) if oldest else []


def changed_hours(*, since: datetime, after_event: int, until: datetime) -> list[datetime]:
    """The hours with news: of time, of events, and of deliveries whose end was unknown.

    The hour before `since` counts as well: a worker may have written that it handed a message
    over only after the last count.
    """
    hours = set(hours_between(since - HOUR, until))
    with connection.cursor() as cursor:
        cursor.execute(EVENTS_SQL, {"after": after_event, "until": until})
        hours.update(row[0] for row in cursor.fetchall())
        cursor.execute(SETTLED_SQL, {"until": until})
        hours.update(row[0] for row in cursor.fetchall())
    return sorted(hours)
