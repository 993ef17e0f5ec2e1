"""Counting the deliveries of given hours anew, in one statement for a day of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import connection

from notifications.models import EventKind

HOURS_AT_ONCE = 24
# Whatever of these a provider reports, the message had arrived.
ARRIVED = (
    EventKind.DELIVERED,
    EventKind.OPENED,
    EventKind.CLICKED,
    EventKind.COMPLAINED,
    EventKind.UNSUBSCRIBED,
)
# Each name is found by a look into the index of deliveries handed over.
PROVIDERS_CTE = """
RECURSIVE provider(name) AS (
    (SELECT provider FROM notifications_delivery WHERE dispatched_at IS NOT NULL
     ORDER BY provider LIMIT 1)
    UNION ALL
    SELECT (SELECT provider FROM notifications_delivery
            WHERE dispatched_at IS NOT NULL AND provider > provider.name
            ORDER BY provider LIMIT 1)
    FROM provider WHERE provider.name IS NOT NULL
)
"""
# What was sent stays sent and opened stays opened, so a figure never shrinks but by pruning: then
# the larger one is true.
COUNT_SQL = f"""
WITH {PROVIDERS_CTE}, handed_over AS (
    SELECT found.hour, delivery.kind, delivery.channel, delivery.provider, delivery.id,
           delivery.state = 'sent' AS is_sent
    FROM unnest(%(hours)s::timestamptz[]) AS found(hour)
    JOIN provider ON provider.name IS NOT NULL
    JOIN notifications_delivery AS delivery
      ON delivery.provider = provider.name AND delivery.dispatched_at >= found.hour
     AND delivery.dispatched_at < least(found.hour + interval '1 hour', %(until)s)
    WHERE delivery.state IN ('sent', 'dispatching', 'uncertain')
), happened AS (
    SELECT event.delivery_id,
           bool_or(event.kind = ANY(%(arrived)s)) AS delivered,
           bool_or(event.kind = 'opened') AS opened,
           bool_or(event.kind = 'clicked') AS clicked,
           bool_or(event.kind = 'bounced') AS bounced,
           bool_or(event.kind = 'complained') AS complained,
           bool_or(event.kind = 'unsubscribed') AS unsubscribed
    FROM notifications_deliveryevent AS event
    WHERE event.delivery_id IN (SELECT id FROM handed_over WHERE is_sent)
    GROUP BY event.delivery_id
)
INSERT INTO operations_hourlyfigures AS figures (
    hour, kind, channel, provider, sent, delivered, opened, clicked, bounced, complained,
    unsubscribed, unsettled
)
SELECT hour, kind, channel, provider, count(*) FILTER (WHERE is_sent),
       count(*) FILTER (WHERE delivered), count(*) FILTER (WHERE opened),
       count(*) FILTER (WHERE clicked), count(*) FILTER (WHERE bounced),
       count(*) FILTER (WHERE complained), count(*) FILTER (WHERE unsubscribed),
       count(*) FILTER (WHERE NOT is_sent)
FROM handed_over LEFT JOIN happened ON happened.delivery_id = handed_over.id
GROUP BY hour, kind, channel, provider
ON CONFLICT (hour, kind, channel, provider) DO UPDATE SET
    sent = greatest(figures.sent, excluded.sent),
    delivered = greatest(figures.delivered, excluded.delivered),
    opened = greatest(figures.opened, excluded.opened),
    clicked = greatest(figures.clicked, excluded.clicked),
    bounced = greatest(figures.bounced, excluded.bounced),
    complained = greatest(figures.complained, excluded.complained),
    unsubscribed = greatest(figures.unsubscribed, excluded.unsubscribed),
    unsettled = excluded.unsettled
"""  # noqa: S608 - the parts are constants
FORGET_UNSETTLED_SQL = """
UPDATE operations_hourlyfigures SET unsettled = 0
WHERE hour = ANY(%(hours)s::timestamptz[]) AND unsettled > 0
"""


def count_hours(hours: Sequence[datetime], *, until: datetime) -> None:
    """Count these full hours of UTC anew: what was handed over in them before `until`.

    Counting again what has not changed changes nothing; figures of deliveries that have been
    pruned since stay. Call it in a transaction.
    """
    arrived = [kind.value for kind in ARRIVED]
    with connection.cursor() as cursor:
        for start in range(0, len(hours), HOURS_AT_ONCE):
            some = list(hours[start : start + HOURS_AT_ONCE])
            cursor.execute(FORGET_UNSETTLED_SQL, {"hours": some})
            cursor.execute(COUNT_SQL, {"hours": some, "until": until, "arrived": arrived})
