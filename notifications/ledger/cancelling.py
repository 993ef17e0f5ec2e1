"""Cancelling a person's messages without their leases: who composes one just now is too late."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime

from django.db import connection

from notifications.ledger.counting import count_changed
from notifications.models import Delivery, Reason, State
from notifications.sources import source_of

CANCEL_SQL = """
WITH changed AS (
    UPDATE notifications_delivery
    SET state = 'cancelled', reason = %s, finished_at = %s,
        lease_token = NULL, lease_expires_at = NULL
    WHERE user_id = %s AND state IN ('pending', 'claimed')
    RETURNING id
), forgotten AS (
    DELETE FROM notifications_mailcontent WHERE delivery_id IN (SELECT id FROM changed)
)
SELECT id FROM changed
"""


def cancel_messages_to(user_id: int, *, reason: Reason, now: datetime) -> set[int]:
    """End what has not been handed over; the ids. Call inside a transaction.

    A message that is being handed over goes its way. The sources take back what they held.
    """
    with connection.cursor() as cursor:
        cursor.execute(CANCEL_SQL, [reason.value, now, user_id])
        ended = {row[0] for row in cursor.fetchall()}
    by_kind = defaultdict(list)
    for delivery in Delivery.objects.filter(pk__in=ended):
        by_kind[delivery.kind].append(delivery)
    for kind, deliveries in by_kind.items():
        source_of(kind).release(deliveries)
        count_changed(deliveries, State.CANCELLED)
    return ended
