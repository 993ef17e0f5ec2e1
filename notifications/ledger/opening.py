"""Opening deliveries: the planner's side of the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from marketplace.bulk import array_literal

COLUMNS = {
    "idempotency_key": "text",
    "kind": "text",
    "user_id": "bigint",
    "address": "text",
    "subject_id": "bigint",
    "created_at": "timestamptz",
    "expires_at": "timestamptz",
    "channel": "text",
}
OPEN_SQL = f"""
INSERT INTO notifications_delivery
    ({", ".join(COLUMNS)}, next_attempt_at, enqueued_at, state, reason, last_answer, attempts,
     provider, provider_message_id, last_event)
SELECT {", ".join(COLUMNS)}, created_at, created_at, 'pending', '', '', 0, '', '', ''
FROM unnest({", ".join(f"%s::{kind}[]" for kind in COLUMNS.values())}) WITH ORDINALITY
     AS row({", ".join(COLUMNS)}, position)
ORDER BY position
ON CONFLICT (idempotency_key) DO NOTHING
RETURNING idempotency_key, id
"""  # noqa: S608


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
    if not rows:
        return {}
    columns = [
        array_literal(kind, [getattr(row, name) for row in rows]) for name, kind in COLUMNS.items()
    ]
    with connection.cursor() as cursor:
        cursor.execute(OPEN_SQL, columns)
        return dict(cursor.fetchall())
