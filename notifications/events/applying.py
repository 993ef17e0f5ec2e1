"""What new events change: the delivery's last event and state, barred addresses, unsubscribing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from marketplace.bulk import update_rows
from notifications.events.reported import ReportedEvent
from notifications.ledger.settling import Proof, settle_as_sent
from notifications.models import Delivery, EventKind
from notifications.sources import DEFAULT_SCOPE, registered_kinds
from notifications.suppressing import Bar, suppress
from notifications.unsubscribe import unsubscribe_from

# How much an event says about a message: what came late or out of order never hides more.
RANKS: Mapping[str, int] = {
    kind.value: rank
    for rank, kind in enumerate(
        (
            EventKind.UNKNOWN,
            EventKind.ACCEPTED,
            EventKind.DEFERRED,
            EventKind.SOFT_BOUNCED,
            EventKind.DELIVERED,
            EventKind.OPENED,
            EventKind.CLICKED,
            EventKind.DROPPED,
            EventKind.BOUNCED,
            EventKind.UNSUBSCRIBED,
            EventKind.COMPLAINED,
        )
    )
}
# Whatever the provider reports of a message, it had accepted it.
PROVING = frozenset(RANKS) - {EventKind.UNKNOWN.value}
Pair = tuple[ReportedEvent, Delivery]


def apply(
    new: Sequence[ReportedEvent], deliveries: Mapping[str, Delivery], *, now: datetime
) -> None:
    """Apply events that were not known before; `deliveries` by event id, locked by the caller."""
    pairs = [(event, deliveries[event.event_id]) for event in new if event.event_id in deliveries]
    _settle(pairs, now)
    _record_last_events(pairs)
    _unsubscribe(pairs)
    bars = [
        Bar(event.address, event.bars, event.happened_at, event.detail)
        for event in new
        if event.bars is not None
    ]
    suppress(bars, source=new[0].provider if new else "")


def _settle(pairs: Iterable[Pair], now: datetime) -> None:
    proofs: dict[int, Proof] = {}
    for event, delivery in pairs:
        if event.kind.value in PROVING:
            answer = f"The provider's event proves that it was accepted: {event.kind.value}"
            proofs[delivery.pk] = Proof(delivery.pk, answer, event.message_id)
    settle_as_sent([proofs[pk] for pk in sorted(proofs)], now=now)


def _record_last_events(pairs: Iterable[Pair]) -> None:
    best: dict[int, tuple[int, datetime, str]] = {}
    for event, delivery in pairs:
        known = best.get(delivery.pk) or _standing(delivery, event.happened_at)
        found = (RANKS[event.kind.value], event.happened_at, event.kind.value)
        if found > known:
            best[delivery.pk] = found
    update_rows(
        "notifications_delivery",
        {"id": "bigint", "last_event": "text", "last_event_at": "timestamptz"},
        [(pk, kind, at) for pk, (_rank, at, kind) in sorted(best.items())],
    )


def _standing(delivery: Delivery, default: datetime) -> tuple[int, datetime, str]:
    rank = RANKS.get(delivery.last_event, -1)
    return rank, delivery.last_event_at or default, delivery.last_event


def _unsubscribe(pairs: Iterable[Pair]) -> None:
    """A source that somebody took away since then has nothing left to switch off."""
    by_kind: dict[str, list[Delivery]] = defaultdict(list)
    for event, delivery in pairs:
        if event.kind == EventKind.UNSUBSCRIBED:
            by_kind[delivery.kind].append(delivery)
    for kind in sorted(by_kind.keys() & set(registered_kinds())):
        unsubscribe_from(by_kind[kind], DEFAULT_SCOPE)
