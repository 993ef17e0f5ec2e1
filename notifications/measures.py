"""Counting what happens to messages, for the metrics: one sum over all processes and hosts.

Workers come, go and are many, so none of them can be asked for its counts. They add them to one
hash in Redis, from which the site's /metrics reads; a restart of anything but Redis loses nothing.
Inside `together` counts are kept back and written in one round trip at its end. Counting never
fails and hardly waits: what Redis does not take at once is not counted.
"""

from __future__ import annotations

import logging
import time
from bisect import bisect_left
from collections import Counter as Sums
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from functools import cache, lru_cache
from typing import Any

from django.conf import settings
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

logger = logging.getLogger(__name__)

HASH = "metrics:counts"
TIMEOUT_SECONDS = 0.5
# After Redis was away nobody waits for it again for so long.
SILENCE_SECONDS = 5.0
# Redis adds whole numbers exactly, whatever their order: sums of times are kept in µs.
MICROSECOND = timedelta(microseconds=1)
SUM = "sum"
BEYOND = "+Inf"


@dataclass(frozen=True, slots=True)
class Counter:
    """Something that happens, told apart by labels; the name is the metric's."""

    name: str
    help: str
    labels: tuple[str, ...]

    def add(self, *values: str, by: int = 1) -> None:
        """It happened `by` times, with these values of the labels."""
        _add({_field(self.name, *values): by})


@dataclass(frozen=True, slots=True)
class TimeCounter:
    """Time that adds up, told apart by labels."""

    name: str
    help: str
    labels: tuple[str, ...]

    def add(self, *values: str, time: timedelta) -> None:
        """So much more time, with these values of the labels."""
        _add({_field(self.name, *values): max(0, time // MICROSECOND)})


@dataclass(frozen=True, slots=True)
class Histogram:
    """How long something takes, in bounds (seconds) that Prometheus calls buckets."""

    name: str
    help: str
    labels: tuple[str, ...]
    bounds: tuple[float, ...]

    def observe(self, *values: str, time: timedelta) -> None:
        """It took so long once, with these values of the labels."""
        taken = max(time, timedelta(0))
        seconds = taken.total_seconds()
        bound = _names_of(self.bounds)[bisect_left(self.bounds, seconds)]
        field, total = _field(self.name, *values, bound), _field(self.name, *values, SUM)
        _add({field: 1, total: taken // MICROSECOND})


DELIVERIES = Counter(
    "marktlotse_deliveries",
    "Deliveries that came into this state: sent, cancelled, dead or uncertain.",
    ("state", "kind", "channel"),
)
SEND_TIME = Histogram(
    "marktlotse_delivery_seconds",
    "From the planning of a delivery until a provider had taken it.",
    ("kind", "channel"),
    (1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400),
)
REQUEST_TIME = Histogram(
    "marktlotse_provider_request_seconds",
    "How long a provider took to answer a request, by what it answered.",
    ("provider", "answer"),
    (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
REFUSED_TOKENS = Counter(
    "marktlotse_limiter_refusals",
    "Times that a worker asked to send and was told to wait, and why.",
    ("provider", "cause"),
)
WAITED = TimeCounter(
    "marktlotse_limiter_wait_seconds",
    "Time that workers slept until a provider's quota had room.",
    ("provider",),
)
PAUSES = Counter(
    "marktlotse_provider_pauses",
    "Times that a provider was left alone: it asked to wait, it refused us, its breaker opened.",
    ("provider", "cause"),
)
EVENTS = Counter(
    "marktlotse_delivery_events",
    "Events that providers reported about messages, each counted once.",
    ("provider", "kind"),
)
MEASURES = (
    DELIVERIES, SEND_TIME, REQUEST_TIME, REFUSED_TOKENS, WAITED, PAUSES, EVENTS,
)  # fmt: skip

_kept_back: ContextVar[Sums[str] | None] = ContextVar("kept_back", default=None)


class _Silence:
    """Until when Redis is not asked again, by this process."""

    until = 0.0


@contextmanager
def together() -> Iterator[Sums[str]]:
    """Keep counts back and write them at the end; inside another `together`, at its end."""
    outer = _kept_back.get()
    if outer is not None:
        yield outer
        return
    kept_back: Sums[str] = Sums()
    token = _kept_back.set(kept_back)
    try:
        yield kept_back
    finally:
        _kept_back.reset(token)
        _write(kept_back)


def fields() -> dict[tuple[str, ...], int]:
    """Everything that was counted: (name, label values…) → sum. Raises RedisError or OSError."""
    stored: Any = _server(settings.REDIS_URL).hgetall(HASH)
    return {tuple(field.split("|")): int(value) for field, value in stored.items()}


@cache
def _names_of(bounds: tuple[float, ...]) -> list[str]:
    return [*(f"{bound:g}" for bound in bounds), BEYOND]


@lru_cache(maxsize=4096)
def _field(*parts: str) -> str:
    return "|".join(part.replace("|", "/") for part in parts)


def _add(counts: dict[str, int]) -> None:
    kept_back = _kept_back.get()
    if kept_back is None:
        _write(Sums(counts))
    else:
        for field, by in counts.items():
            kept_back[field] += by


def _write(counts: Sums[str]) -> None:
    """One round trip; none for nothing, or just after Redis was found away."""
    if not counts or time.monotonic() < _Silence.until:
        return
    try:
        with _server(settings.REDIS_URL).pipeline(transaction=False) as pipeline:
            for field, by in counts.items():
                pipeline.hincrby(HASH, field, by)
            pipeline.execute()
    except (RedisError, OSError) as error:
        _Silence.until = time.monotonic() + SILENCE_SECONDS
        logger.debug("Redis is away (%s); this is not counted.", type(error).__name__)


@cache
def _server(url: str) -> Redis:
    return Redis.from_url(
        url,
        decode_responses=True,
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )
