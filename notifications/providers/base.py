"""What every provider answers to a message: one vocabulary, whatever its own codes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
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
    """Nobody's message got through, and none was taken: the line, or our account, is broken.

    `is_auth`: the provider refuses our key, account or sender, so only an operator can help.
    """

    answer: str
    is_auth: bool = False


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


# A delivery's id and its message.
Pair = tuple[int, Message]
Outcome = Accepted | Throttled | Unavailable | Retryable | Permanent | Uncertain


class Provider(ABC):
    """Carries messages. A context manager: connections live for a batch."""

    name: str
    # How many messages one request takes.
    max_batch: int = 1

    def __enter__(self) -> Self:
        return self

    def __exit__(  # noqa: B027  (most have nothing to close)
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close what the batch has opened."""

    def get_ready(self, delivery_id: int, message: Message) -> None:  # noqa: B027
        """`send` is probably asked for this next: what takes time may begin, but nothing leaves.

        It may not come after all.
        """

    def expect(self, delivery_id: int, message: Message) -> None:  # noqa: B027
        """This is probably sent after the next: it may be written while that is being answered.

        It may not come after all.
        """

    @abstractmethod
    def send(self, delivery_id: int, message: Message) -> Outcome:
        """Hand one message over. Every error of the line is an Outcome, never an exception."""

    def send_many(self, pairs: Sequence[Pair]) -> Outcome:
        """Hand over in one request what `batches` put together; one outcome, true of all of them.

        Permanent for more than one says that some of them are refused: halve and ask again.
        """
        [(delivery_id, message)] = pairs
        return self.send(delivery_id, message)

    def batches(self, pairs: Sequence[Pair]) -> Iterator[list[Pair]]:
        """The pairs, in their order, put together as they may stand in one request.

        Any part of a batch may stand in a request too.
        """
        for pair in pairs:
            yield [pair]

    def was_accepted(self, delivery: Delivery) -> bool | None:
        """Whether the provider has this delivery; None where it cannot be asked."""
        return None
