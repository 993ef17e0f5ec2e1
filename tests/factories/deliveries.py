"""Deliveries in any state, and a message source that a test can steer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from django.db import connection

from notifications import ledger, sources
from notifications.ledger import NewDelivery
from notifications.messages import Message, NotWanted
from notifications.models import Delivery
from notifications.sources import Scope

Answer = Message | NotWanted


class FakeSource:
    """Composes a plain message for each delivery, and remembers what it was asked."""

    def __init__(self, kind: str = "fake") -> None:
        self.compose_one: Callable[[Delivery], Answer | None] = plain_message
        self.composed: list[int] = []
        self.released: list[int] = []
        self.unsubscribed: list[int] = []
        self.scopes_left: list[str] = []
        self.held_again: list[int] = []
        self.refuses: dict[int, str] = {}
        self.saw_open_transaction = False
        sources.register(kind, self)

    def compose(self, deliveries: Sequence[Delivery]) -> Mapping[int, Answer]:
        self.saw_open_transaction |= connection.in_atomic_block
        self.composed += [delivery.pk for delivery in deliveries]
        answers = {delivery.pk: self.compose_one(delivery) for delivery in deliveries}
        return {pk: answer for pk, answer in answers.items() if answer is not None}

    def release(self, deliveries: Sequence[Delivery]) -> None:
        assert connection.in_atomic_block
        self.released += [delivery.pk for delivery in deliveries]

    def hold_again(self, deliveries: Sequence[Delivery]) -> Mapping[int, str]:
        assert connection.in_atomic_block
        self.held_again += [delivery.pk for delivery in deliveries]
        return {d.pk: self.refuses[d.pk] for d in deliveries if d.pk in self.refuses}

    def scopes(self, delivery: Delivery) -> list[Scope]:
        return [Scope("these", "this kind of mail"), Scope("all", "all mail")]

    def unsubscribe(self, deliveries: Sequence[Delivery], scope: str) -> None:
        self.unsubscribed += [delivery.pk for delivery in deliveries]
        self.scopes_left.append(scope)


def plain_message(delivery: Delivery) -> Message:
    """A short mail that names its delivery."""
    return Message(
        to=delivery.address,
        subject=f"News {delivery.pk}",
        text=f"Text of {delivery.pk}",
        html=f"<p>Text of {delivery.pk}</p>",
    )


def new(key: str, now: datetime, kind: str = "fake", **fields: object) -> NewDelivery:
    """What a planner would ask for; the address follows from the key."""
    values: dict[str, object] = {
        "user_id": None,
        "address": f"{key.replace(':', '.')}@example.com",
        "subject_id": None,
        "created_at": now,
        "expires_at": None,
        **fields,
    }
    return NewDelivery(idempotency_key=key, kind=kind, **values)  # type: ignore[arg-type]


def pending_deliveries(count: int, now: datetime, kind: str = "fake") -> list[int]:
    """Store `count` due deliveries; their ids in order."""
    rows = [new(f"{kind}:{n}", now, kind) for n in range(count)]
    return sorted(ledger.open_deliveries(rows).values())


def claimed_delivery(now: datetime, kind: str = "fake", key: str = "one") -> Delivery:
    """A delivery that a worker has just claimed for five minutes."""
    ids = ledger.open_deliveries([new(key, now, kind)])
    [delivery] = ledger.claim(list(ids.values()), now=now, limit=1, lease=timedelta(minutes=5))
    return delivery


def dispatching_delivery(
    now: datetime, kind: str = "fake", key: str = "one", provider: str = "outbox"
) -> Delivery:
    """A delivery that is being handed to a provider."""
    delivery = claimed_delivery(now, kind, key)
    ledger.start_dispatching([delivery], provider=provider, now=now, lease=timedelta(minutes=5))
    return delivery
