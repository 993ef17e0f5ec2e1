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

from django.db import transaction

from notifications.ledger.compare_and_set import change
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


def start_dispatching(
    deliveries: Sequence[Delivery], *, provider: str, now: datetime, lease: timedelta
) -> set[int]:
    """Mark as being handed over, which counts an attempt. Commit before calling the provider.

    The lease starts anew, so that it covers the whole call.
    """
    started = change(
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
    undone = change(
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
    return change(
        deliveries,
        (State.DISPATCHING,),
        "state = 'pending', attempts = greatest(attempts - 1, 0), dispatched_at = NULL, "
        "next_attempt_at = %s, enqueued_at = NULL, lease_token = NULL, lease_expires_at = NULL",
        [now],
    )


def keep_claimed(deliveries: Sequence[Delivery], *, now: datetime, lease: timedelta) -> set[int]:
    """The request they stood in was refused as a whole: not an attempt of each. Still ours."""
    kept = change(
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
    sent = change(
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
    return change(
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
    doubtful = change(
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
    ended = change(
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


def _unzipped(pairs: Iterable[tuple[Delivery, Any]]) -> tuple[list[Delivery], list[Any]]:
    known = list(pairs)
    return [delivery for delivery, _value in known], [value for _delivery, value in known]


def _short(answer: str) -> str:
    return one_line(answer)[:LAST_ANSWER_LENGTH]
