"""Changing the state of claimed deliveries.

A change is a compare-and-set on state and lease: it answers the ids it took effect for, and the
others belong to somebody else by now. A delivery that ends releases what its source holds for it,
its stored text, and the address of somebody who has left, in the same transaction.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction

from notifications.account_mail import LAST_MAIL_KEY
from notifications.ledger.counting import count_changed
from notifications.messages import one_line
from notifications.models import Delivery, State
from notifications.sources import source_of

logger = logging.getLogger(__name__)

LAST_ANSWER_LENGTH = 300
# A worker that lost its lease while it waited for the provider may still bring the answer: what
# the provider really said beats "unknown", as long as nobody claimed the row anew.
ANSWERABLE = (State.DISPATCHING, State.UNCERTAIN)
HELD = (State.CLAIMED, *ANSWERABLE)

CHANGE_SQL = """
WITH changed AS (
    UPDATE notifications_delivery AS delivery SET {assignments}
    FROM unnest(%s::bigint[], %s::uuid[], %s::{value_type}[]) AS row(id, lease_token, value)
    WHERE delivery.id = row.id AND delivery.lease_token = row.lease_token
      AND delivery.state = ANY(%s)
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


def start_dispatching(
    deliveries: Sequence[Delivery], *, provider: str, now: datetime, lease: timedelta
) -> set[int]:
    """Mark as being handed over, which counts an attempt. Commit before calling the provider.

    The lease starts anew, so that it covers the whole call.
    """
    started = _change(
        deliveries,
        (State.CLAIMED,),
        "state = 'dispatching', attempts = attempts + 1, provider = %s, dispatched_at = %s, "
        "lease_expires_at = %s",
        [provider, now, now + lease],
    )
    for delivery in deliveries:
        if delivery.pk in started:
            delivery.attempts += 1
    return started


def undo_start(deliveries: Sequence[Delivery], *, now: datetime, lease: timedelta) -> set[int]:
    """Started, but not handed over: no attempt, and as if it had not been started. Still ours.

    `delivery.dispatched_at` must still be that of the attempt before.
    """
    undone = _change(
        deliveries,
        (State.DISPATCHING,),
        "state = 'claimed', attempts = greatest(attempts - 1, 0), dispatched_at = row.value, "
        "lease_expires_at = %s",
        [now + lease],
        values=[delivery.dispatched_at for delivery in deliveries],
        value_type="timestamptz",
    )
    for delivery in deliveries:
        if delivery.pk in undone:
            delivery.attempts -= 1
    return undone


def never_handed_over(deliveries: Sequence[Delivery], *, now: datetime) -> set[int]:
    """Their worker was lost before their turn: due at once, and no attempt.

    Without the time of an attempt, a mark that the worker sets after all, being only late, is one
    that the ledger knows nothing of: whoever comes next does not send.
    """
    return _change(
        deliveries,
        (State.DISPATCHING,),
        "state = 'pending', attempts = greatest(attempts - 1, 0), dispatched_at = NULL, "
        "next_attempt_at = %s, enqueued_at = NULL, lease_token = NULL, lease_expires_at = NULL",
        [now],
    )


def keep_claimed(deliveries: Sequence[Delivery], *, now: datetime, lease: timedelta) -> set[int]:
    """The request they stood in was refused as a whole: not an attempt of each. Still ours."""
    kept = _change(
        deliveries,
        (State.DISPATCHING,),
        "state = 'claimed', attempts = greatest(attempts - 1, 0), lease_expires_at = %s",
        [now + lease],
    )
    for delivery in deliveries:
        if delivery.pk in kept:
            delivery.attempts -= 1
    return kept


def record_sent(accepted: Iterable[tuple[Delivery, str]], *, now: datetime) -> set[int]:
    """The provider has these; each comes with the provider's id of the message ('' if none)."""
    deliveries, message_ids = _unzipped(accepted)
    sent = _change(
        deliveries,
        ANSWERABLE,
        "state = 'sent', reason = '', provider_message_id = left(row.value, 200), "
        "finished_at = %s, lease_token = NULL, lease_expires_at = NULL",
        [now],
        values=message_ids,
        is_end=True,
    )
    count_changed((one for one in deliveries if one.pk in sent), State.SENT, sent_at=now)
    return sent


def put_back(
    due: Iterable[tuple[Delivery, datetime]],
    *,
    answer: str = "",
    attempts_change: int = 0,
    enqueued_at: datetime | None = None,
) -> set[int]:
    """Wait for another attempt at the time that comes with each delivery.

    `attempts_change` is -1 where the attempt that was counted does not count (throttled), +1
    where a failure counts that came before the provider was asked. With `enqueued_at` the caller
    puts them into the queue at once.
    """
    deliveries, times = _unzipped(due)
    return _change(
        deliveries,
        HELD,
        "state = 'pending', next_attempt_at = row.value, enqueued_at = %s, "
        "attempts = greatest(attempts + %s, 0), last_answer = coalesce(nullif(%s, ''), "
        "last_answer), lease_token = NULL, lease_expires_at = NULL",
        [enqueued_at, attempts_change, _short(answer)],
        values=times,
        value_type="timestamptz",
    )


def mark_uncertain(deliveries: Sequence[Delivery], *, answer: str, reason: str) -> set[int]:
    """Nobody knows whether the provider has these. The lease token stays: see `ANSWERABLE`."""
    doubtful = _change(
        deliveries,
        (State.DISPATCHING,),
        "state = 'uncertain', reason = %s, last_answer = %s, lease_expires_at = NULL",
        [reason, _short(answer)],
    )
    count_changed((one for one in deliveries if one.pk in doubtful), State.UNCERTAIN)
    return doubtful


def give_up(deliveries: Sequence[Delivery], *, reason: str, answer: str, now: datetime) -> set[int]:
    """These failed for good: dead letters. Their sources take back what they held."""
    reasons = [(delivery, reason) for delivery in deliveries]
    if dead := _end_unsent(reasons, State.DEAD, answer, now):
        ids = {"delivery_ids": sorted(dead)}
        logger.warning("Dead letters: %d (%s)", len(dead), reason, extra=ids)
    return dead


def cancel(reasons: Iterable[tuple[Delivery, str]], *, now: datetime) -> set[int]:
    """These are not wanted any more, each for its reason. Their sources take back."""
    return _end_unsent(reasons, State.CANCELLED, "", now)


def _end_unsent(
    reasons: Iterable[tuple[Delivery, str]], state: State, answer: str, now: datetime
) -> set[int]:
    """End without sending, kind by kind: a source that fails keeps only its own kind open."""
    by_kind = defaultdict(list)
    for delivery, reason in reasons:
        by_kind[delivery.kind].append((delivery, reason))
    ended: set[int] = set()
    for kind, pairs in by_kind.items():
        try:
            with transaction.atomic():
                ended |= _end_kind(kind, pairs, state, answer, now)
        except Exception:
            # Still claimed, so it comes again when the lease has run out.
            logger.exception("UnableToRelease: the source of %s failed", kind)
    return ended


def _end_kind(
    kind: str, reasons: list[tuple[Delivery, str]], state: State, answer: str, now: datetime
) -> set[int]:
    deliveries, texts = _unzipped(reasons)
    ended = _change(
        deliveries,
        HELD,
        "state = %s, reason = row.value, last_answer = coalesce(nullif(%s, ''), last_answer), "
        "finished_at = %s, lease_token = NULL, lease_expires_at = NULL",
        [state.value, _short(answer), now],
        values=texts,
        is_end=True,
    )
    if ended:
        changed = [delivery for delivery in deliveries if delivery.pk in ended]
        source_of(kind).release(changed)
        count_changed(changed, state)
    return ended


def _change(
    deliveries: Sequence[Delivery],
    states: Sequence[State],
    assignments: str,
    parameters: list[Any],
    values: Sequence[Any] | None = None,
    value_type: str = "text",
    is_end: bool = False,
) -> set[int]:
    """Compare state and lease, set, and answer the ids that were changed. One statement."""
    if not deliveries:
        return set()
    statement = CHANGE_SQL.format(
        assignments=f"{assignments}, {FORGET_ADDRESS}" if is_end else assignments,
        value_type=value_type,
        and_delete_content=AND_DELETE_CONTENT if is_end else "",
    )
    per_row: list[Any] = [
        [delivery.pk for delivery in deliveries],
        [delivery.lease_token for delivery in deliveries],
        values or [None] * len(deliveries),
        [state.value for state in states],
    ]
    with connection.cursor() as cursor:
        cursor.execute(statement, [*parameters, *per_row])
        return {row[0] for row in cursor.fetchall()}


def _unzipped(pairs: Iterable[tuple[Delivery, Any]]) -> tuple[list[Delivery], list[Any]]:
    known = list(pairs)
    return [delivery for delivery, _value in known], [value for _delivery, value in known]


def _short(answer: str) -> str:
    return one_line(answer)[:LAST_ANSWER_LENGTH]
