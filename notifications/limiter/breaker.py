"""What all workers know of a provider's state: a pause it has asked for, and the circuit breaker.

The breaker opens after some failed connections in a row. When its rest is over, the script of the
token bucket lets exactly one message try; whatever answer comes closes it, another failure opens
it again. Every function raises one of `server.REDIS_ERRORS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from notifications.limiter.server import server
from notifications.limiter.token_bucket import Cause, key

# A count that nobody has added to for so long says nothing about now.
FAILURES_KEPT = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Rest:
    """Why the provider rests, and for how long."""

    cause: Cause
    left: timedelta


def rest_of(provider: str) -> Rest | None:
    """The rest in force, if any."""
    with server().pipeline(transaction=False) as commands:
        commands.pttl(key(provider, "pause"))
        commands.pttl(key(provider, "open"))
        paused, opened = commands.execute()
    if paused > 0:
        return Rest(Cause.PAUSED, timedelta(milliseconds=paused))
    return Rest(Cause.BROKEN, timedelta(milliseconds=opened)) if opened > 0 else None


def pause(provider: str, length: timedelta) -> None:
    """Nobody asks for so long. The provider has answered, so the breaker closes."""
    with server().pipeline(transaction=False) as commands:
        commands.set(key(provider, "pause"), "1", px=max(1, length // timedelta(milliseconds=1)))
        commands.delete(key(provider, "failures"), key(provider, "open"), key(provider, "probe"))
        commands.execute()


def count_failure(provider: str, failures_allowed: int, rest: timedelta) -> bool:
    """One more connection has failed; whether the breaker is open now."""
    failures = int(server().incr(key(provider, "failures")))
    with server().pipeline(transaction=False) as commands:
        commands.expire(key(provider, "failures"), rest + FAILURES_KEPT)
        if failures >= failures_allowed:
            commands.set(key(provider, "open"), "1", px=rest // timedelta(milliseconds=1))
            commands.delete(key(provider, "probe"))
        commands.execute()
    return failures >= failures_allowed


def forget_failures(provider: str) -> None:
    """The provider answers: the breaker closes."""
    server().delete(key(provider, "failures"), key(provider, "open"), key(provider, "probe"))


def give_up_probe(provider: str) -> None:
    """The one that should have tried did not."""
    server().delete(key(provider, "probe"))
