"""Asking the token bucket in Redis: one atomic script for all windows, pauses and the breaker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import IntEnum
from functools import cache
from pathlib import Path

from redis import Redis
from redis.commands.core import Script

from notifications.limiter.server import server
from notifications.models import ProviderQuota

SCRIPT = Path(__file__).with_name("token_bucket.lua")
# Longer than any provider's time-out: a worker that died while it tried blocks nobody for ever.
PROBE_MS = 60_000
# A grant may be smaller than what was asked, but who has not waited yet takes no fewer than come
# back in an eighth of a second: requests stay large where the quota is.
PATIENCE = timedelta(seconds=1) / 8
UNKNOWN = -1


class Cause(IntEnum):
    """Why nothing is granted; the numbers are those of the script."""

    NONE = 0
    PAUSED = 1
    BROKEN = 2
    SPENT = 3
    FORGOTTEN = 4


@dataclass(frozen=True, slots=True)
class Window:
    """How many messages may leave in any span of this length."""

    name: str
    length: timedelta
    quota: int

    def left_for_bulk(self, account_share_percent: int) -> Window:
        """The part that other than account mails may use: at least one message.

        Rounded down, so that the share that is kept free is never smaller than it says.
        """
        bulk = max(1, self.quota * (100 - account_share_percent) // 100)
        return Window(self.name, self.length, bulk)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the script said; times by Redis' clock."""

    granted: int
    wait: timedelta
    cause: Cause
    failures: int
    clock_us: int


def windows_of(quota: ProviderQuota) -> list[Window]:
    """The windows that bind, the shortest first."""
    limits = [
        ("second", timedelta(seconds=1), quota.per_second),
        ("minute", timedelta(minutes=1), quota.per_minute),
        ("day", timedelta(days=1), quota.per_day),
    ]
    return [Window(name, length, limit) for name, length, limit in limits if limit]


def worthwhile(windows: list[Window], cost: int) -> int:
    """The fewest of `cost` messages that are worth a request, by the shortest window's rate."""
    if not windows:
        return cost
    shortest = windows[0]
    least = int(shortest.quota * (PATIENCE / shortest.length))
    return min(cost, max(1, min(least, *(window.quota for window in windows))))


def take(
    provider: str,
    windows: list[Window],
    *,
    cost: int,
    least: int,
    breaker_failures: int,
    sent_within: Callable[[timedelta], int],
) -> Answer:
    """Take `least` to `cost` tokens of every window at once, or none and learn how long to wait.

    `least` must be within every quota: see `worthwhile`. `sent_within` tells how many messages
    left in the last day; it is asked only when Redis has lost its memory of the day. Raises one
    of `server.REDIS_ERRORS`.
    """
    spent = [UNKNOWN if window.length >= timedelta(days=1) else window.quota for window in windows]
    answer = _ask(provider, windows, spent, [cost, least, breaker_failures, PROBE_MS])
    if answer.cause is Cause.FORGOTTEN:
        # Evenly over a day, an emptied bucket would hold back a new quota's first day.
        spent = [
            min(window.quota, sent_within(window.length)) if known == UNKNOWN else known
            for window, known in zip(windows, spent, strict=True)
        ]
        answer = _ask(provider, windows, spent, [cost, least, breaker_failures, PROBE_MS])
    return answer


def _ask(provider: str, windows: list[Window], spent: list[int], arguments: list[int]) -> Answer:
    names = ["pause", "open", "failures", "probe", *(window.name for window in windows)]
    for window, known in zip(windows, spent, strict=True):
        arguments = [*arguments, window.length // timedelta(microseconds=1), window.quota, known]
    said = _script(server())(keys=[key(provider, name) for name in names], args=arguments)
    granted, wait_us, cause, failures, clock_us = said
    wait = timedelta(microseconds=wait_us)
    return Answer(granted, wait, Cause(cause), failures, clock_us)


def key(provider: str, name: str) -> str:
    """One provider's keys share a slot of a cluster, which one script needs."""
    return f"limit:{{{provider}}}:{name}"


@cache
def _script(redis: Redis) -> Script:
    """Called by its digest; after a flush of scripts the client loads it again by itself."""
    return redis.register_script(SCRIPT.read_text("utf-8"))
