"""Claiming deliveries for a while, and taking back claims and queue entries that were lost.

Each function is one statement that skips rows which somebody else is just taking.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction

from marketplace.id_arrays import these
from notifications import account_mail
from notifications.models import Channel, Delivery, State

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
      AND channel = ANY(%(channels)s) AND {kind}
    ORDER BY next_attempt_at, id
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
)
UPDATE notifications_delivery AS delivery SET enqueued_at = %(now)s
FROM waiting WHERE delivery.id = waiting.id
RETURNING delivery.next_attempt_at, delivery.id
"""
# Account mails belong to no subject, and the index by subject finds them among millions.
ACCOUNT_MAILS = f"kind = '{account_mail.KIND}' AND subject_id IS NULL"
OTHERS = f"kind <> '{account_mail.KIND}'"


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


def mark_enqueued(
    *,
    now: datetime,
    older_than: datetime,
    limit: int,
    channels: Collection[str] = tuple(Channel.values),
    are_account_mails: bool = False,
) -> list[int]:
    """Deliveries that are due and not in the queue since `older_than`, now marked as enqueued.

    The ids in the order in which they became due, for `queueing.enqueue`.
    """
    statement = ENQUEUE_SQL.format(kind=ACCOUNT_MAILS if are_account_mails else OTHERS)
    values: dict[str, Any] = {
        "now": now,
        "older_than": older_than,
        "limit": limit,
        "channels": list(channels),
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return [pk for _due_at, pk in sorted(cursor.fetchall())]


def forget_enqueued(ids: Collection[int]) -> None:
    """The queue did not take these: the next sweep does not wait for it."""
    waiting = Delivery.objects.filter(pk__in=these(ids), state=State.PENDING)
    waiting.update(enqueued_at=None)
