"""A database of its own for a benchmark, on the configured server; gone afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def scratch_database(name: str) -> Iterator[None]:
    """Create and migrate the database, connect to it, drop it at the end."""
    creation = connection.creation
    connection.settings_dict["TEST"]["NAME"] = name
    creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    try:
        yield
    finally:
        creation.destroy_test_db(name, verbosity=0)


def connect_to(name: str) -> None:
    """Use a scratch database that another process made."""
    connection.close()
    connection.settings_dict["NAME"] = name
