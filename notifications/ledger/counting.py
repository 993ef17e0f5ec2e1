"""Counting the states that deliveries come into, once the change is committed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial

from django.db import transaction

from notifications.measures import DELIVERIES, SEND_TIME, together
from notifications.models import Delivery, State


def count_changed(
    deliveries: Iterable[Delivery], state: State, *, sent_at: datetime | None = None
) -> None:
    """These came into `state`; `sent_at`: a provider has just taken them.

    What is undone is not counted, and nothing that goes wrong here undoes a change.
    """
    counted = list(deliveries)
    if counted:
        transaction.on_commit(partial(_count, counted, state, sent_at), robust=True)


def count_kinds(pairs: Sequence[tuple[str, str]], state: State) -> None:
    """The same, where only the kind and channel of each are known."""
    if pairs:
        transaction.on_commit(partial(_count_kinds, pairs, state), robust=True)


def _count(deliveries: Sequence[Delivery], state: State, sent_at: datetime | None) -> None:
    with together():
        _count_kinds([(delivery.kind, delivery.channel) for delivery in deliveries], state)
        if sent_at is None:
            return
        for delivery in deliveries:
            SEND_TIME.observe(delivery.kind, delivery.channel, time=sent_at - delivery.created_at)


def _count_kinds(pairs: Iterable[tuple[str, str]], state: State) -> None:
    with together():
        for (kind, channel), number in Counter(pairs).items():
            DELIVERIES.add(state.value, kind, channel, by=number)
