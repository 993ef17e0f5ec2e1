"""Claiming deliveries for a while, and taking back claims and queue entries that were lost.

Each function is one statement that skips rows which somebody else is just taking.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import connection, transaction

from notifications.models import Delivery

# MATERIALIZED: the locking subquery must run once, or its LIMIT means nothing.
CLAIM_SQL = """
WITH due AS MATERIALIZED (
    SELECT id FROM notifications_delivery
    WHERE state = 'pending' AND next_attempt_at <= %(now)s
      AND (%(ids)s::bigint[] IS NULL OR id = ANY(%(ids)s::bigint[]))
    ORDER BY next_attempt_at, id
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
)
UPDATE notifications_delivery AS delivery
SET state = 'claimed', lease_token = %(token)s, lease_expires_at = %(lease_expires_at)s
FROM due WHERE delivery.id = due.id
RETURNING delivery.*
"""

FREE_SQL = """
WITH lost AS MATERIALIZED (
    SELECT id FROM notifications_delivery
    WHERE state = 'claimed' AND lease_expires_at < %(now)s
    ORDER BY lease_expires_at
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
)
UPDATE notifications_delivery AS delivery
SET state = 'pending', next_attempt_at = %(now)s, enqueued_at = NULL,
    lease_token = NULL, lease_expires_at = NULL
FROM lost WHERE delivery.id = lost.id
"""

ENQUEUE_SQL = """
WITH waiting AS MATERIALIZED (
    SELECT id FROM notifications_delivery
    WHERE state = 'pending' AND next_attempt_at <= %(now)s
      AND (enqueued_at IS NULL OR enqueued_at < %(older_than)s)
    ORDER BY next_attempt_at, id
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
)
UPDATE notifications_delivery AS delivery SET enqueued_at = %(now)s
FROM waiting WHERE delivery.id = waiting.id
RETURNING delivery.next_attempt_at, delivery.id
"""


def claim(
    ids: Collection[int] | None, *, now: datetime, limit: int, lease: timedelta
) -> list[Delivery]:
    """Take up to `limit` due deliveries (of `ids`, if given) for `lease`; committed at return.

    Rows that another worker holds or is just taking are left out.
    """
    values = {
        "now": now,
        "ids": None if ids is None else list(ids),
        "limit": limit,
        "token": uuid.uuid4(),
        "lease_expires_at": now + lease,
    }
    with transaction.atomic(durable=True):
        claimed = list(Delivery.objects.raw(CLAIM_SQL, values))
    return sorted(claimed, key=lambda delivery: (delivery.next_attempt_at, delivery.pk))


def free_expired_claims(*, now: datetime, limit: int) -> int:
    """Make claimed deliveries whose lease has run out free for everybody; how many."""
    with connection.cursor() as cursor:
        cursor.execute(FREE_SQL, {"now": now, "limit": limit})
        return cursor.rowcount


def mark_enqueued(*, now: datetime, older_than: datetime, limit: int) -> list[int]:
    """Deliveries that are due and not in the queue since `older_than`, now marked as enqueued.

    The ids in the order in which they became due, for `queueing.enqueue`.
    """
    with connection.cursor() as cursor:
        cursor.execute(ENQUEUE_SQL, {"now": now, "older_than": older_than, "limit": limit})
        return [pk for _due_at, pk in sorted(cursor.fetchall())]
