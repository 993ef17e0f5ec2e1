"""One planner at a time, whatever tier, worker or machine.

A session-level advisory lock: PostgreSQL frees it when the connection of a killed planner goes,
so nothing has to be cleaned up. (It needs a direct connection, or a pooler in session mode.)
Rows would stay right without it; it keeps two tiers from planning for the same person at once.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

LOCK_KEY = 0x6D61726B74  # "markt"
POLL_SECONDS = 0.1
PATIENCE_SECONDS = 900.0


class UnableToPlan(RuntimeError):
    """Another planner held the lock for the whole waiting time."""


@contextmanager
def planner_lock(wait_seconds: float = PATIENCE_SECONDS) -> Iterator[None]:
    """Hold the lock; raises UnableToPlan after waiting `wait_seconds` for it."""
    deadline = time.monotonic() + wait_seconds
    while not _try_lock():
        if time.monotonic() >= deadline:
            raise UnableToPlan("Another report run is still being planned.")
        time.sleep(POLL_SECONDS)
    try:
        yield
    finally:
        _ask("SELECT pg_advisory_unlock(%s)")


def _try_lock() -> bool:
    return _ask("SELECT pg_try_advisory_lock(%s)")


def _ask(sql: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(sql, [LOCK_KEY])
        return bool(cursor.fetchone()[0])
