"""Witnesses in Redis that no sent mark was lost: `chunk:{lease token}`, one for each batch.

A worker starts several deliveries in the ledger at once and marks each in Redis right before its
call. When it dies, "no mark" means "never handed over", but only where Redis still knows all that
it has been told since. The witness is written before the first call of those that were started
together. It is believed while it is there (a flush takes it along with the marks), and while Redis
is the same process with nothing evicted: a restart or a failover may lose the newest marks alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from notifications.limiter.server import server
from notifications.models import DispatchLimits
from notifications.moments import microseconds_of

# The sweep may come so much later than the end of the lease. A key a batch is not much.
MARGIN = timedelta(hours=6)


class Entry(NamedTuple):
    """What is to be written into Redis, and for how long."""

    key: str
    value: str
    lifetime: timedelta


@dataclass(frozen=True, slots=True)
class Witness:
    """Who told it, of which memory of Redis, about calls since when (µs since 1970)."""

    installation: str
    memory: str
    since: int

    def vouches_for(self, installation: str, memory: str, started_at: datetime | None) -> bool:
        """Whether Redis has forgotten nothing of a delivery that was started then."""
        is_ours = (self.installation, self.memory) == (installation, memory)
        if not (memory and is_ours and started_at):
            return False
        return self.since <= microseconds_of(started_at)


def entry(lease_token: UUID | None, *, at: datetime, memory: str, limits: DispatchLimits) -> Entry:
    """The witness for what is started at `at`; `memory` was asked for before the first call."""
    value = f"{limits.installation.hex} {memory} {microseconds_of(at)}"
    return Entry(key(lease_token), value, timedelta(seconds=limits.lease_seconds) + MARGIN)


def read(value: str | None) -> Witness | None:
    """The witness that a value of Redis holds, if it holds one."""
    match (value or "").split(" "):
        case [installation, memory, since] if since.isdigit():
            return Witness(installation, memory, int(since))
    return None


def key(lease_token: UUID | None) -> str:
    """Where the witness of a lease is kept."""
    return f"chunk:{lease_token}"


def memory_of_redis() -> str:
    """Changes whenever Redis may have forgotten something without being told to.

    '' where Redis does not tell: then no witness can be believed.
    """
    with server().pipeline(transaction=False) as pipeline:
        pipeline.info("server")
        pipeline.info("stats")
        answers: Sequence[Any] = pipeline.execute(raise_on_error=False)
    match answers:
        case [{"run_id": run_id}, {"evicted_keys": evicted}]:
            return f"{run_id}/{evicted}"
    return ""
