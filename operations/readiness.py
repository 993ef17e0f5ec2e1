"""Whether this process can serve: are the database, its tables and Redis there?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder

from operations.reach import Reach
from operations.unapplied import unapplied


@dataclass(frozen=True)
class Readiness:
    """What is missing, of `database`, `migrations` and `redis`; nothing when all is there."""

    missing: list[str]

    @property
    def is_ready(self) -> bool:
        """Whether requests can be served."""
        return not self.missing


def readiness(*, now: datetime) -> Readiness:
    """Ask each server once; at worst this takes a few seconds."""
    reach = Reach(now)
    missing = []
    try:
        if reach.database_error:
            missing.append("database")
        elif not _is_migrated():
            missing.append("migrations")
        if reach.redis_error:
            missing.append("redis")
    finally:
        reach.close()
    return Readiness(missing)


def _is_migrated() -> bool:
    try:
        return not unapplied(MigrationRecorder(connection).applied_migrations())
    except DatabaseError:
        return False
