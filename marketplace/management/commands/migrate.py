"""`manage.py migrate`, which never makes the site wait behind it.

A change of a table waits for every query that is using it, and every later query waits behind the
change. So it waits for a few seconds only, gives up as a whole, and is to be run again.
"""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate
from django.db import OperationalError, connections
from django.db.migrations import Migration

LOCK_NOT_AVAILABLE = "55P03"


class Command(migrate.Command):
    """Django's own, with `--lock-timeout`."""

    def add_arguments(self, parser: CommandParser) -> None:
        """How long to wait for a table."""
        super().add_arguments(parser)
        parser.add_argument(
            "--lock-timeout", type=int, default=5, metavar="SECONDS",
            help="give up when a table is in use for so long; 0 waits without an end",
        )  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate; CommandError where a table was in use."""
        self.connection = connections[options["database"]]
        self.lock_timeout = max(0, options["lock_timeout"])
        try:
            super().handle(*args, **options)
        except OperationalError as error:
            if getattr(error.__cause__, "pgcode", "") != LOCK_NOT_AVAILABLE:
                raise
            raise CommandError(
                "A table was in use, so the migration gave way: it changed nothing, and those "
                "before it stand. Run it again."
            ) from error
        finally:
            if self.connection.connection is not None and self.connection.is_usable():
                with self.connection.cursor() as cursor:
                    cursor.execute("RESET lock_timeout")

    def migration_progress_callback(
        self, action: str, migration: Migration | None = None, fake: bool = False
    ) -> None:
        """Before each migration: how long it may wait.

        One that is not atomic builds an index beside the traffic. It waits for others without
        making anybody wait, and would leave half an index behind.
        """
        if migration is not None and action in ("apply_start", "unapply_start"):
            self._wait_for_locks(self.lock_timeout if migration.atomic else 0)
        super().migration_progress_callback(action, migration, fake)

    def _wait_for_locks(self, seconds: int) -> None:
        with self.connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = %s", [f"{seconds}s"])
