"""Sent marks in Redis: `sent:{idempotency key}`, the second of two guards against sending twice.

The ledger's unique row and its states are the first (ADR 0005). A mark is set with SET NX before a
provider is called. It says "in flight" with the time of the attempt, then "accepted" with the
provider's id; it is deleted when the provider certainly did not take the message, and stays where
nobody knows. So a row that a database backup brings back as waiting still meets its mark, and a
Redis that has lost its marks still meets the row.

Every function takes one round trip whatever the number of deliveries (two where marks must be
replaced), and raises one of `REDIS_ERRORS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from notifications import witnesses
from notifications.limiter.conversation import Command, ask
from notifications.limiter.server import server
from notifications.models import Delivery, DispatchLimits
from notifications.moments import microseconds_of
from notifications.witnesses import Entry

IN_FLIGHT = "in-flight"
ACCEPTED = "accepted"


@dataclass(frozen=True, slots=True)
class Found:
    """A mark that was there already. `detail` is the provider's id, or the time of the attempt."""

    word: str
    detail: str

    @property
    def is_accepted(self) -> bool:
        """True where a provider has taken the message; otherwise nobody knows."""
        return self.word == ACCEPTED


def _nothing() -> None:
    """What there is to do meanwhile, where there is nothing."""


class SentMarks:
    """The marks of this installation; those of another database in the same Redis do not count."""

    def __init__(self, limits: DispatchLimits) -> None:
        self._installation = limits.installation.hex
        self._lifetime = timedelta(days=limits.sent_mark_days)

    def take(
        self,
        deliveries: Sequence[Delivery],
        *,
        at: datetime,
        before: Iterable[Entry] = (),
        meanwhile: Callable[[], None] = _nothing,
    ) -> dict[int, Found]:
        """Mark as in flight by the attempt of `at`, before the call; what is marked already.

        A mark left by the attempt that the ledger saw last does not count: the row came back
        from it, so it is known that the message was not accepted. `delivery.dispatched_at` must
        therefore still be that of the attempt before. What is to be written `before` shares the
        round trip, and `meanwhile` is done while Redis answers.
        """
        mark, lifetime = self._value(IN_FLIGHT, _moment(at)), _seconds(self._lifetime)
        written = [_writing(entry) for entry in before]
        marking: list[Command] = [
            ("SET", _key(delivery), mark, "EX", lifetime, "NX", "GET") for delivery in deliveries
        ]
        values = ask(server(), written + marking, meanwhile)[len(written) :]
        found: dict[int, Found] = {}
        free: list[Delivery] = []
        for delivery, value in zip(deliveries, values, strict=True):
            there = self._read(value)
            # Our own mark: the command was sent twice because an answer was lost.
            if value == mark or value is None:
                continue
            if there is None or there == Found(IN_FLIGHT, _moment(delivery.dispatched_at)):
                free.append(delivery)
            else:
                found[delivery.pk] = there
        self.replace(free, at=at)
        return found

    def replace(self, deliveries: Sequence[Delivery], *, at: datetime) -> None:
        """Mark as in flight by the attempt of `at`, whatever was there."""
        value = self._value(IN_FLIGHT, _moment(at))
        write(Entry(_key(delivery), value, self._lifetime) for delivery in deliveries)

    def accept(self, accepted: Iterable[tuple[Delivery, str]]) -> None:
        """The provider has these; each comes with the provider's id of the message."""
        write(self.acceptances(accepted))

    def acceptances(self, accepted: Iterable[tuple[Delivery, str]]) -> list[Entry]:
        """What `accept` writes."""
        return [
            Entry(_key(delivery), self._value(ACCEPTED, message_id), self._lifetime)
            for delivery, message_id in accepted
        ]

    def discard(self, deliveries: Sequence[Delivery]) -> None:
        """The provider certainly did not take these."""
        if deliveries:
            server().delete(*map(_key, deliveries))

    def look(self, deliveries: Sequence[Delivery]) -> dict[int, Found]:
        """The marks that are there, by the delivery's id; changes nothing."""
        if not deliveries:
            return {}
        values: list[Any] = server().mget(list(map(_key, deliveries)))
        return self._read_all(deliveries, values)

    def look_back(self, deliveries: Sequence[Delivery]) -> tuple[dict[int, Found], list[Delivery]]:
        """The marks that are there, and the deliveries that were certainly never marked.

        Certainly: started by a lease whose witness tells that Redis has forgotten nothing since.
        """
        if not deliveries:
            return {}, []
        tokens = [delivery.lease_token for delivery in deliveries]
        # Marks and witnesses at one moment; whatever Redis forgets afterwards changes nothing.
        values: list[Any] = server().mget([*map(_key, deliveries), *map(witnesses.key, tokens)])
        memory = witnesses.memory_of_redis()
        found = self._read_all(deliveries, values[: len(deliveries)])
        told = map(witnesses.read, values[len(deliveries) :])
        untouched = [
            delivery
            for delivery, mark, witness in zip(deliveries, values, told, strict=False)
            if mark is None
            and witness is not None
            and witness.vouches_for(self._installation, memory, delivery.dispatched_at)
        ]
        return found, untouched

    def _read_all(
        self, deliveries: Sequence[Delivery], values: Sequence[str | None]
    ) -> dict[int, Found]:
        marks = {
            delivery.pk: self._read(value)
            for delivery, value in zip(deliveries, values, strict=True)
        }
        return {pk: mark for pk, mark in marks.items() if mark is not None}

    def _value(self, word: str, detail: str) -> str:
        return f"{self._installation} {word} {detail}"

    def _read(self, value: str | None) -> Found | None:
        installation, _, rest = (value or "").partition(" ")
        word, _, detail = rest.partition(" ")
        return Found(word, detail) if installation == self._installation else None


def write(entries: Iterable[Entry]) -> None:
    """One round trip; none for no entries."""
    if commands := [_writing(entry) for entry in entries]:
        ask(server(), commands, _nothing)


def _writing(entry: Entry) -> Command:
    return ("SET", entry.key, entry.value, "EX", _seconds(entry.lifetime))


def _seconds(lifetime: timedelta) -> int:
    return int(lifetime.total_seconds())


def _key(delivery: Delivery) -> str:
    return f"sent:{delivery.idempotency_key}"


def _moment(at: datetime | None) -> str:
    """Whole µs, as the database keeps times."""
    return "" if at is None else str(microseconds_of(at))
