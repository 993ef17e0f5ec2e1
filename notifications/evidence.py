"""What the provider's silence about a delivery means (ADR 0007).

Silence tells something only where the provider would have spoken: where it has spoken of nearly
every other message that it is known to have taken at that time, before and after, and has been
heard since. While our webhook is away its events wait with the provider, so neither a few
events from before nor the first ones after it came back prove anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import Enum

from django.db.models import Exists, OuterRef, QuerySet

from notifications.models import Delivery, DeliveryEvent, EventKind, State

WINDOW = timedelta(minutes=10)
"""Messages handed over this long before or after are looked at,"""
NEAREST = 25
"""the nearest so many on either side."""
MINIMUM = 3
"""Fewer than this, and nothing can be told."""
SHARE = 0.9
"""The provider must have spoken of this share of them, on either side."""
PATIENCE = timedelta(hours=24)
"""For so long a provider that was not listened to tries to tell its events again."""
MOST_IN_A_SECOND = 1000


class Meaning(Enum):
    """What silence means."""

    REFUSED = "not accepted"
    NOTHING = "nothing can be told"
    TOO_EARLY = "not told yet: nothing has been heard since"


def meaning_of_silence(provider: str, second: datetime, last: datetime, now: datetime) -> Meaning:
    """What it means that the provider said nothing of messages handed over in this second.

    `last` is when the last of them was handed over. The nearest others count, since a webhook goes
    away between one message and the next. Four queries at most.
    """
    end = second + timedelta(seconds=1)
    accepted = _accepted(provider)
    sides = [
        _told(accepted.filter(dispatched_at__gte=second - WINDOW, dispatched_at__lt=second)
              .order_by("-dispatched_at")[:NEAREST]),
        _told(accepted.filter(dispatched_at__gte=second, dispatched_at__lt=end)
              .order_by("-dispatched_at")[:MOST_IN_A_SECOND]),
        _told(accepted.filter(dispatched_at__gte=end, dispatched_at__lt=end + WINDOW)
              .order_by("dispatched_at")[:NEAREST]),
    ]  # fmt: skip
    if sum(map(len, sides)) < MINIMUM or any(sum(told) < SHARE * len(told) for told in sides):
        return Meaning.NOTHING
    if now - last >= PATIENCE or _is_heard_since(provider, last):
        return Meaning.REFUSED
    return Meaning.TOO_EARLY


def _accepted(provider: str) -> QuerySet[Delivery]:
    """Messages that the provider itself said it had taken, and whether an event names them."""
    events = DeliveryEvent.objects.filter(delivery=OuterRef("pk")).exclude(kind=EventKind.UNKNOWN)
    taken = Delivery.objects.filter(provider=provider, state=State.SENT)
    return taken.exclude(provider_message_id="").annotate(is_told=Exists(events))


def _told(accepted: QuerySet[Delivery]) -> Sequence[bool]:
    return list(accepted.values_list("is_told", flat=True))  # type: ignore[misc]


def _is_heard_since(provider: str, moment: datetime) -> bool:
    """Whether an event came in after `moment`; its own time tells little of that."""
    return DeliveryEvent.objects.filter(
        provider=provider,
        received_at__gt=moment,
        happened_at__gt=moment - PATIENCE,
    ).exists()
