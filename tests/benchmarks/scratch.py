"""A database of its own for a benchmark, on the configured server; gone afterwards."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

# Queue messages go nowhere: a benchmark measures planning, and must not feed real workers.
os.environ["CELERY_BROKER_URL"] = "memory://"
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django

django.setup()

from django.db import connection  # noqa: E402

DATABASE_VARIABLE = "BENCHMARK_DATABASE"


@contextmanager
def scratch_database(name: str) -> Iterator[None]:
    """Create and migrate the database, connect to it, drop it at the end."""
    creation = connection.creation
    connection.settings_dict["TEST"]["NAME"] = name
    creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    original = os.environ.get("DATABASE_NAME", "")
    try:
        yield
    finally:
        creation.destroy_test_db(original or name, verbosity=0)


def connect_to(name: str) -> None:
    """Use a scratch database that another process made."""
    connection.close()
    connection.settings_dict["NAME"] = name
