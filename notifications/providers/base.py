"""What every provider answers to a message: one vocabulary, whatever its own codes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Self

from notifications.messages import Message
from notifications.models import Delivery


@dataclass(frozen=True, slots=True)
class Accepted:
    """The provider has the message and will do the rest."""

    message_id: str = ""


@dataclass(frozen=True, slots=True)
class Throttled:
    """Too fast: nothing was taken. `until` is the provider's own word, which may be absurd."""

    answer: str
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Unavailable:
    """Nobody's message got through, and none was taken: the line, or our account, is broken."""

    answer: str


@dataclass(frozen=True, slots=True)
class Retryable:
    """This message was certainly not taken; later it may be."""

    answer: str


@dataclass(frozen=True, slots=True)
class Permanent:
    """The provider will never take this message for this recipient."""

    answer: str


@dataclass(frozen=True, slots=True)
class Uncertain:
    """The message left and the answer did not come, or says nothing.

    After a time-out the batch rests: the next message would wait as long.
    """

    answer: str
    is_timeout: bool = False


Outcome = Accepted | Throttled | Unavailable | Retryable | Permanent | Uncertain


class Provider:
    """Carries one message at a time. A context manager: connections live for a batch."""

    name: str

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close what the batch has opened."""

    def send(self, delivery_id: int, message: Message) -> Outcome:
        """Hand the message over. Every error of the line is an Outcome, never an exception."""
        raise NotImplementedError

    def was_accepted(self, delivery: Delivery) -> bool | None:
        """Whether the provider has this delivery; None where it cannot be asked."""
        return None
