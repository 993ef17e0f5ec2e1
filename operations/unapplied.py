"""Which migrations of this code the database has not had yet."""

from __future__ import annotations

from collections.abc import Container
from functools import cache

from django.db.migrations.loader import MigrationLoader


def unapplied(applied: Container[tuple[str, str]]) -> list[str]:
    """The migrations of this code that are not among the applied ones, as `app.name`."""
    return [
        ".".join(migration)
        for migration, replaced in _known_migrations()
        if migration not in applied
        and not (replaced and all(former in applied for former in replaced))
    ]


@cache
def _known_migrations() -> list[tuple[tuple[str, str], list[tuple[str, str]]]]:
    """Every migration of the installed apps and those it replaces. The code does not change."""
    loader = MigrationLoader(None)
    return [(key, list(one.replaces)) for key, one in sorted(loader.disk_migrations.items())]
