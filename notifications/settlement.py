"""Ending the doubt about uncertain deliveries when their grace is over (ADR 0007).

An event of the delivery itself always decides. Without one the policy of the limits does:
*evidence* sends again only where the provider's events arrive for other messages that were handed
over around the same time, so that silence means "not accepted" (`notifications.evidence`); where
they do not, nothing can be told from silence, and the delivery counts as sent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, QuerySet

from notifications import ledger
from notifications.evidence import Meaning, meaning_of_silence
from notifications.ledger.settling import Proof, open_again, settle_as_sent
from notifications.models import (
    Delivery,
    DeliveryEvent,
    DispatchLimits,
    EventKind,
    Reason,
    State,
    UncertainPolicy,
)

# One call settles this many at most; the sweep calls again within seconds.
MOST_ROWS = 1000

UNCERTAIN = (State.UNCERTAIN,)
PROVEN = "The provider's event proves that it was accepted."
NO_EVENTS = "Counted as sent: no events of that time arrive that could tell."
ASSUMED = "Counted as sent: the policy for uncertain deliveries."
SILENCE = "Sent again: events of that time arrive, and none of this message."
RESENT = "Sent again: the policy for uncertain deliveries."


def settle_uncertain(now: datetime) -> int:
    """Settle deliveries that have been uncertain for longer than the grace; how many.

    Each says how in its `last_answer`. Two calls at once do no harm.
    """
    limits = DispatchLimits.current()
    overdue = now - timedelta(minutes=limits.uncertain_grace_minutes)
    waiting = list(_with_proof(overdue)[:MOST_ROWS])
    proven = [delivery for delivery in waiting if delivery.is_proven]  # type: ignore[attr-defined]
    silent = [delivery for delivery in waiting if delivery not in proven]
    settled = len(_count_as_sent(proven, PROVEN, now))
    match limits.uncertain_policy:
        case UncertainPolicy.ASSUME_SENT:
            return settled + len(_count_as_sent(silent, ASSUMED, now))
        case UncertainPolicy.RESEND:
            return settled + _send_again(silent, RESENT, limits, now)
    refuted, unknowable = _by_evidence(silent, now)
    settled += len(_count_as_sent(unknowable, NO_EVENTS, now))
    return settled + _send_again(refuted, SILENCE, limits, now)


def _with_proof(overdue: datetime) -> QuerySet[Delivery]:
    """Uncertain deliveries handed over before `overdue`, those first that an event names."""
    events = DeliveryEvent.objects.filter(delivery=OuterRef("pk"))
    return (
        Delivery.objects.filter(state=State.UNCERTAIN, dispatched_at__lt=overdue)
        .annotate(is_proven=Exists(events.exclude(kind=EventKind.UNKNOWN)))
        .order_by("-is_proven", "dispatched_at")
    )


def _by_evidence(
    silent: Iterable[Delivery], now: datetime
) -> tuple[list[Delivery], list[Delivery]]:
    """Those that were not accepted, and those of which nothing can be told; the others wait."""
    by_second: dict[tuple[str, datetime], list[Delivery]] = defaultdict(list)
    for delivery in silent:
        if delivery.dispatched_at is not None:
            second = delivery.dispatched_at.replace(microsecond=0)
            by_second[delivery.provider, second].append(delivery)
    judged: dict[Meaning, list[Delivery]] = defaultdict(list)
    for (provider, second), group in by_second.items():
        last = max(delivery.dispatched_at for delivery in group if delivery.dispatched_at)
        judged[meaning_of_silence(provider, second, last, now)].extend(group)
    return judged[Meaning.REFUSED], judged[Meaning.NOTHING]


def _count_as_sent(deliveries: Sequence[Delivery], answer: str, now: datetime) -> set[int]:
    proofs = [Proof(delivery.pk, answer) for delivery in deliveries]
    return settle_as_sent(proofs, now=now, states=UNCERTAIN)


def _send_again(
    deliveries: Sequence[Delivery], answer: str, limits: DispatchLimits, now: datetime
) -> int:
    """Back to waiting; those whose attempts are used up become dead letters."""
    tired = [delivery for delivery in deliveries if delivery.attempts >= limits.max_attempts]
    fresh = [delivery for delivery in deliveries if delivery.attempts < limits.max_attempts]
    reason = Reason.ATTEMPTS_USED_UP.value
    given_up = ledger.give_up(tired, reason=reason, answer=answer, now=now)
    ids = [delivery.pk for delivery in fresh]
    return len(given_up) + len(
        open_again(ids, state=State.UNCERTAIN, answer=answer, now=now, forgets_attempts=False)
    )
