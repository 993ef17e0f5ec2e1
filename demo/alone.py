"""One demonstration at a time on a database: two would count each other's mails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError, InterfaceError, connection

from demo.errors import UnableToRunDemo

LOCK_KEY = 0x64656D6F  # "demo"


class Hold:
    """A session-level advisory lock: it goes with its connection, however the process ends.

    The connection is its own, so that nobody closes it, for its age or for an error.
    """

    def __init__(self) -> None:
        self._line = connection.copy()

    def take(self) -> None:
        """Raises UnableToRunDemo when another demonstration has it."""
        with self._line.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK_KEY])
            is_taken = cursor.fetchone()[0]
        if not is_taken:
            raise UnableToRunDemo(
                "Another demonstration is using this database. Stop it (Ctrl-C where it runs), or "
                "give this one a database of its own with DATABASE_URL."
            )

    def keep(self) -> None:
        """Take it again when the server was restarted, as soon as that answers.

        Raises UnableToRunDemo when another demonstration was faster.
        """
        if self._line.connection is not None and self._line.is_usable():
            return
        try:
            self._line.close()
            self.take()
        except (DatabaseError, InterfaceError):
            return

    def release(self) -> None:
        """Needs no answer of the server, which may be gone."""
        self._line.close()


@contextmanager
def alone() -> Iterator[Hold]:
    """Hold the database for this demonstration; UnableToRunDemo when another one does."""
    hold = Hold()
    try:
        hold.take()
        yield hold
    finally:
        hold.release()
