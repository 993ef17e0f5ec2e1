"""Ending the doubt about a delivery without its lease: by a provider's event, policy or operator.

A settled row loses its lease, so whatever its worker still reports changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from marketplace.bulk import array_literal
from notifications.ledger.changes import LAST_ANSWER_LENGTH
from notifications.ledger.compare_and_set import FORGET_ADDRESS
from notifications.ledger.counting import count_kinds
from notifications.messages import one_line
from notifications.models import State

# Given back or claimed anew in the meantime: an event that proves acceptance stops a second send.
PROVABLE = (State.UNCERTAIN, State.DISPATCHING, State.CLAIMED, State.PENDING)

# States compared as in `compare_and_set`: by their ids rows are found, not by their state.
SENT_SQL = f"""
WITH changed AS (
    UPDATE notifications_delivery AS delivery
    SET state = 'sent', reason = '', last_answer = row.answer, finished_at = %s,
        dispatched_at = coalesce(dispatched_at, %s),
        provider_message_id = coalesce(nullif(provider_message_id, ''), row.message_id),
        lease_token = NULL, lease_expires_at = NULL, {FORGET_ADDRESS}
    FROM unnest(%s::bigint[], %s::text[], %s::text[]) AS row(id, answer, message_id)
    WHERE delivery.id = row.id AND delivery.state || '' = ANY(%s)
    RETURNING delivery.id, delivery.kind, delivery.channel
), forgotten AS (
    DELETE FROM notifications_mailcontent WHERE delivery_id IN (SELECT id FROM changed)
)
SELECT id, kind, channel FROM changed
"""  # noqa: S608  (a constant of ours)

AGAIN_SQL = """
UPDATE notifications_delivery AS delivery
SET state = 'pending', reason = '', last_answer = coalesce(nullif(%s, ''), last_answer),
    next_attempt_at = %s, enqueued_at = NULL,
    finished_at = NULL, attempts = CASE WHEN %s THEN 0 ELSE attempts END,
    lease_token = NULL, lease_expires_at = NULL
WHERE delivery.id = ANY(%s) AND delivery.state || '' = %s
RETURNING delivery.id
"""

DISCARD_SQL = """
UPDATE notifications_delivery SET state = 'cancelled', reason = 'discarded'
WHERE id = ANY(%s) AND state || '' = 'dead'
RETURNING id, kind, channel
"""


@dataclass(frozen=True, slots=True)
class Proof:
    """Why a delivery counts as sent, and the provider's id of it, if known."""

    delivery_id: int
    answer: str
    message_id: str = ""


def settle_as_sent(
    proofs: Sequence[Proof], *, now: datetime, states: Sequence[State] = PROVABLE
) -> set[int]:
    """These were accepted after all; the ids that were in one of `states`. One statement."""
    if not proofs:
        return set()
    columns = [
        array_literal("bigint", [proof.delivery_id for proof in proofs]),
        array_literal("text", [short(proof.answer) for proof in proofs]),
        array_literal("text", [proof.message_id[:200] for proof in proofs]),
    ]
    values: list[Any] = [now, now, *columns, [state.value for state in states]]
    with connection.cursor() as cursor:
        cursor.execute(SENT_SQL, values)
        rows = cursor.fetchall()
    count_kinds([row[1:] for row in rows], State.SENT)
    return {row[0] for row in rows}


def open_again(
    ids: Sequence[int], *, state: State, answer: str, now: datetime, forgets_attempts: bool
) -> set[int]:
    """Those that are in `state` wait for another attempt, now; their ids. One statement.

    The time of the last attempt stays: its mark in Redis, and no other, counts no longer. With an
    empty `answer` the last one stays, too.
    """
    if not ids:
        return set()
    values: list[Any] = [short(answer), now, forgets_attempts, list(ids), state.value]
    with connection.cursor() as cursor:
        cursor.execute(AGAIN_SQL, values)
        return {row[0] for row in cursor.fetchall()}


def discard_dead(ids: Sequence[int]) -> set[int]:
    """Those that are dead letters end as cancelled; their ids. Their sources took back at death."""
    if not ids:
        return set()
    with connection.cursor() as cursor:
        cursor.execute(DISCARD_SQL, [list(ids)])
        rows = cursor.fetchall()
    count_kinds([row[1:] for row in rows], State.CANCELLED)
    return {row[0] for row in rows}


def short(answer: str) -> str:
    """The answer as one line that fits into its column."""
    return one_line(answer)[:LAST_ANSWER_LENGTH]
