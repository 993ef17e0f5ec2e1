"""Message sources: who turns deliveries of a kind into messages, and takes back what failed.

This app knows nothing of search agents or campaigns; each registers a source for its kinds when
the applications are ready.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from notifications.messages import Message, NotWanted
from notifications.models import Delivery

# What one click on "unsubscribe" in a mail program means: the narrowest scope a mail offers.
DEFAULT_SCOPE = "these"


@dataclass(frozen=True, slots=True)
class Scope:
    """What a recipient can unsubscribe from, in the active language.

    `label` names it, standing alone ("Search agent “Hotels”", "All your search agents"); `is_off`
    says that nothing in it is switched on any more.
    """

    name: str
    label: str
    is_off: bool = False


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

    def hold_again(self, deliveries: Sequence[Delivery]) -> Mapping[int, str]:
        """An operator wants to send these dead letters again: take back what was released.

        Answers, by id and in the active language, why some cannot be sent again. Called inside
        the transaction that opens the others.
        """

    def scopes(self, delivery: Delivery) -> list[Scope]:
        """What the recipient of this delivery can unsubscribe from, the narrowest first.

        Empty where there is no unsubscribing. The delivery may have been pruned, and its person
        deleted.
        """

    def unsubscribe(self, deliveries: Sequence[Delivery], scope: str) -> None:
        """The recipients of these want no more mail of this scope. Idempotent.

        A constant number of statements; acts for nobody but each delivery's own person. A scope
        that the source does not have changes nothing, but DEFAULT_SCOPE is always understood.
        """


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
