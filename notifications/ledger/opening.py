"""Opening deliveries: the planner's side of the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

OPEN_SQL = """
INSERT INTO notifications_delivery
    (idempotency_key, kind, user_id, address, subject_id, created_at, expires_at, channel,
     next_attempt_at, enqueued_at, state, reason, last_answer, attempts, provider,
     provider_message_id)
SELECT key, kind, user_id, address, subject_id, created_at, expires_at, channel,
       created_at, created_at, 'pending', '', '', 0, '', ''
FROM unnest(%s::text[], %s::text[], %s::bigint[], %s::text[], %s::bigint[], %s::timestamptz[],
            %s::timestamptz[], %s::text[]) WITH ORDINALITY
     AS row(key, kind, user_id, address, subject_id, created_at, expires_at, channel, position)
ORDER BY position
ON CONFLICT (idempotency_key) DO NOTHING
RETURNING idempotency_key, id
"""


@dataclass(frozen=True, slots=True)
class NewDelivery:
    """What a planner asks to be sent; see `Delivery` for the fields."""

    idempotency_key: str
    kind: str
    user_id: int | None
    address: str
    subject_id: int | None
    created_at: datetime
    expires_at: datetime | None
    channel: str = "email"


def open_deliveries(rows: Sequence[NewDelivery]) -> dict[str, int]:
    """Store the deliveries; answer the ids, by idempotency key, of those that are really new.

    One statement, inside the caller's transaction. Ids follow the order of `rows`. Afterwards
    hand the ids to `queueing.enqueue` through `transaction.on_commit`.
    """
    columns: list[Any] = [
        [row.idempotency_key for row in rows],
        [row.kind for row in rows],
        [row.user_id for row in rows],
        [row.address for row in rows],
        [row.subject_id for row in rows],
        [row.created_at for row in rows],
        [row.expires_at for row in rows],
        [row.channel for row in rows],
    ]
    with connection.cursor() as cursor:
        cursor.execute(OPEN_SQL, columns)
        return dict(cursor.fetchall())
