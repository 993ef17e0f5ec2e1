"""One statement that changes claimed deliveries where state and lease are still as they were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection

from marketplace.bulk import array_literal
from notifications.account_mail import LAST_MAIL_KEY
from notifications.models import Delivery, State

# The state is compared in a way that no index answers: statistics of a moment ago promise so few
# rows in a state that PostgreSQL would rather read all of them than look up the few ids.
CHANGE_SQL = """
WITH changed AS (
    UPDATE notifications_delivery AS delivery SET {assignments}
    FROM unnest(%s::bigint[], %s::uuid[], %s::{value_type}[]) AS row(id, lease_token, value)
    WHERE delivery.id = row.id AND delivery.lease_token = row.lease_token
      AND delivery.state || '' = ANY(%s)
    RETURNING delivery.id
){and_delete_content}
SELECT id FROM changed
"""
# Whoever has left is known no longer than their last mail needs.
FORGET_ADDRESS = (
    f"address = CASE WHEN starts_with(delivery.idempotency_key, '{LAST_MAIL_KEY}')"
    " THEN '' ELSE delivery.address END"
)
AND_DELETE_CONTENT = """, forgotten AS (
    DELETE FROM notifications_mailcontent WHERE delivery_id IN (SELECT id FROM changed)
)"""


def change(
    deliveries: Sequence[Delivery],
    states: Sequence[State],
    assignments: str,
    parameters: list[Any],
    values: Sequence[Any] | None = None,
    value_type: str = "text",
    is_end: bool = False,
) -> set[int]:
    """Compare state and lease, set, and answer the ids that were changed.

    `assignments` may use `row.value`, each delivery's own of `values`, and takes `parameters` for
    its placeholders. At an `is_end` the stored text goes, and the address of somebody who has left.
    """
    if not deliveries:
        return set()
    statement = CHANGE_SQL.format(
        assignments=f"{assignments}, {FORGET_ADDRESS}" if is_end else assignments,
        value_type=value_type,
        and_delete_content=AND_DELETE_CONTENT if is_end else "",
    )
    per_row = [
        array_literal("bigint", [delivery.pk for delivery in deliveries]),
        array_literal("uuid", [delivery.lease_token for delivery in deliveries]),
        array_literal(value_type, values or [None] * len(deliveries)),
    ]
    with connection.cursor() as cursor:
        cursor.execute(statement, [*parameters, *per_row, [state.value for state in states]])
        return {row[0] for row in cursor.fetchall()}
