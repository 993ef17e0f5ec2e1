"""Message sources: who turns deliveries of a kind into messages, and takes back what failed.

This app knows nothing of search agents or campaigns; each registers a source for its kinds when
the applications are ready.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from notifications.messages import Message, NotWanted
from notifications.models import Delivery


class MessageSource(Protocol):
    """What a kind of delivery must answer."""

    def compose(self, deliveries: Sequence[Delivery]) -> Mapping[int, Message | NotWanted]:
        """Each delivery's message by its id, as of now; asked right before sending.

        Constant number of queries whatever the number of deliveries; called outside of any
        transaction. Whoever may not get mail any more is answered with NotWanted.
        """

    def release(self, deliveries: Sequence[Delivery]) -> None:
        """These deliveries will never be sent: give back what they held.

        Called inside the transaction that ends them.
        """

    def unsubscribe(self, delivery: Delivery) -> None:
        """The recipient of this delivery wants no more like it. Idempotent."""


_sources: dict[str, MessageSource] = {}


def register(kind: str, source: MessageSource) -> None:
    """Make `source` answer for deliveries of `kind`."""
    _sources[kind] = source


def registered_kinds() -> list[str]:
    """The kinds that somebody answers for, in alphabetical order."""
    return sorted(_sources)


def source_of(kind: str) -> MessageSource:
    """The source for a kind; KeyError where nobody registered it."""
    return _sources[kind]
