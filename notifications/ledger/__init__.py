"""The ledger: the one place that writes the state of deliveries (ADR 0002)."""

from notifications.ledger.changes import (
    cancel,
    give_up,
    keep_claimed,
    mark_uncertain,
    never_handed_over,
    put_back,
    record_sent,
    start_dispatching,
    undo_start,
)
from notifications.ledger.claiming import (
    claim,
    forget_enqueued,
    free_expired_claims,
    mark_enqueued,
)
from notifications.ledger.opening import NewDelivery, open_deliveries

__all__ = [
    "NewDelivery",
    "cancel",
    "claim",
    "forget_enqueued",
    "free_expired_claims",
    "give_up",
    "keep_claimed",
    "mark_enqueued",
    "mark_uncertain",
    "never_handed_over",
    "open_deliveries",
    "put_back",
    "record_sent",
    "start_dispatching",
    "undo_start",
]
