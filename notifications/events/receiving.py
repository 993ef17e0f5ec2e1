"""Taking in what a provider reports: store and apply, in one transaction or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction

from marketplace.id_arrays import these
from notifications.events.applying import apply
from notifications.events.reported import ReportedEvent
from notifications.events.storing import distinct, store
from notifications.measures import EVENTS, together
from notifications.models import Delivery

# Below PostgreSQL's deadlock_timeout of a second: in a deadlock with a worker that records what it
# has sent, the report gives way. The provider sends a report again, the worker's record is lost.
PATIENCE = "SET LOCAL lock_timeout = '800ms'"


@dataclass(frozen=True, slots=True)
class Received:
    """How many events a report held, and how many of them were new."""

    received: int
    new: int


def receive(events: Sequence[ReportedEvent], *, now: datetime) -> Received:
    """Store the events of one provider and apply the new ones; committed as a whole.

    A constant number of statements whatever the number of events. Database errors pass through:
    then nothing is stored, and the provider must send the report again.
    """
    unique = distinct(events)
    if not unique:
        return Received(len(events), 0)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(PATIENCE)
        deliveries = _deliveries_of(unique)
        known = {event_id: delivery.pk for event_id, delivery in deliveries.items()}
        new = store(unique, known, now=now)
        apply(new, deliveries, now=now)
    _count(new)
    return Received(len(events), len(new))


def _count(new: Sequence[ReportedEvent]) -> None:
    with together():
        for event in new:
            EVENTS.add(event.provider, event.kind.value)


def _deliveries_of(events: Sequence[ReportedEvent]) -> dict[str, Delivery]:
    """The delivery of each event, by event id; only where the event names its address too."""
    ids = {event.delivery_id for event in events if event.delivery_id is not None}
    locked = Delivery.objects.select_for_update(no_key=True).filter(pk__in=these(ids))
    by_id = {delivery.pk: delivery for delivery in locked.order_by("pk")} if ids else {}
    found: dict[str, Delivery] = {}
    for event in events:
        delivery = by_id.get(event.delivery_id or 0)
        if delivery and event.address and delivery.address.lower() == event.address.lower():
            found[event.event_id] = delivery
    return found
