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
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from redis import Redis

from notifications.limiter.server import server
from notifications.models import Delivery, DispatchLimits

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
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


class SentMarks:
    """The marks of this installation; those of another database in the same Redis do not count."""

    def __init__(self, limits: DispatchLimits) -> None:
        self._installation = limits.installation.hex
        self._lifetime = timedelta(days=limits.sent_mark_days)

    def take(self, deliveries: Sequence[Delivery], *, at: datetime) -> dict[int, Found]:
        """Mark as in flight by the attempt of `at`, before the call; what is marked already.

        A mark left by the attempt that the ledger saw last does not count: the row came back
        from it, so it is known that the message was not accepted. `delivery.dispatched_at` must
        therefore still be that of the attempt before.
        """
        mark = self._value(IN_FLIGHT, _moment(at))
        values = _together(
            partial(_set, key=_key(delivery), value=mark, ex=self._lifetime, nx=True, get=True)
            for delivery in deliveries
        )
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
        self._write((delivery, self._value(IN_FLIGHT, _moment(at))) for delivery in deliveries)

    def accept(self, accepted: Iterable[tuple[Delivery, str]]) -> None:
        """The provider has these; each comes with the provider's id of the message."""
        self._write(
            (delivery, self._value(ACCEPTED, message_id)) for delivery, message_id in accepted
        )

    def discard(self, deliveries: Sequence[Delivery]) -> None:
        """The provider certainly did not take these."""
        if deliveries:
            server().delete(*map(_key, deliveries))

    def look(self, deliveries: Sequence[Delivery]) -> dict[int, Found]:
        """The marks that are there, by the delivery's id; changes nothing."""
        if not deliveries:
            return {}
        values: list[Any] = server().mget(list(map(_key, deliveries)))
        marks = {
            delivery.pk: self._read(value)
            for delivery, value in zip(deliveries, values, strict=True)
        }
        return {pk: mark for pk, mark in marks.items() if mark is not None}

    def _write(self, values: Iterable[tuple[Delivery, str]]) -> None:
        """One round trip; none for no values."""
        _together(
            partial(_set, key=_key(delivery), value=value, ex=self._lifetime)
            for delivery, value in values
        )

    def _value(self, word: str, detail: str) -> str:
        return f"{self._installation} {word} {detail}"

    def _read(self, value: str | None) -> Found | None:
        installation, _, rest = (value or "").partition(" ")
        word, _, detail = rest.partition(" ")
        return Found(word, detail) if installation == self._installation else None


def _together(commands: Iterable[Callable[[Redis], Any]]) -> list[Any]:
    """The answers to all commands, in one round trip; none for no commands."""
    wanted = list(commands)
    if len(wanted) == 1:  # A pipeline costs as much again, message by message.
        return [wanted[0](server())]
    with server().pipeline(transaction=False) as pipeline:
        for command in wanted:
            command(pipeline)
        return pipeline.execute()


def _set(redis: Redis, key: str, value: str, **options: Any) -> Any:
    return redis.set(key, value, **options)


def _key(delivery: Delivery) -> str:
    return f"sent:{delivery.idempotency_key}"


def _moment(at: datetime | None) -> str:
    """Whole µs, as the database keeps times."""
    return "" if at is None else str((at - EPOCH) // timedelta(microseconds=1))
