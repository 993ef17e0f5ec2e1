"""One demonstration at a time on a database: two would count each other's mails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from demo.errors import UnableToRunDemo

LOCK_KEY = 0x64656D6F  # "demo"


@contextmanager
def alone() -> Iterator[None]:
    """Hold the database for this demonstration; UnableToRunDemo when another one does.

    A session-level advisory lock: it goes with the connection, however the process ends.
    """
    if not _ask("SELECT pg_try_advisory_lock(%s)"):
        raise UnableToRunDemo(
            "Another demonstration is using this database. Stop it (Ctrl-C where it runs), or "
            "give this one a database of its own with DATABASE_URL."
        )
    try:
        yield
    finally:
        _ask("SELECT pg_advisory_unlock(%s)")


def _ask(sql: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(sql, [LOCK_KEY])
        return bool(cursor.fetchone()[0])
