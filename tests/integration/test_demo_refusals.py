"""When the demonstration does not run, and what it says then."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from django.db import connection
from pytest_django import Settings
from rich.console import Console

from demo.alone import LOCK_KEY, alone
from demo.demonstration import DemoOptions, demonstrate
from demo.errors import UnableToRunDemo
from demo.generator import SEED, Size
from demo.site import DEFAULT_PORT, choose_port


def options(tmp_path: Path) -> DemoOptions:
    return DemoOptions(Size(20, 5), SEED, once=True, port=None, logs=tmp_path, patience=5)


@pytest.fixture
def other() -> Iterator[Any]:
    """Another process's connection to the same database."""
    settings = connection.settings_dict
    line = psycopg2.connect(
        host=settings["HOST"],
        port=settings["PORT"],
        user=settings["USER"],
        password=settings["PASSWORD"],
        dbname=settings["NAME"],
    )
    line.autocommit = True
    yield line
    line.close()


def ask(line: Any, sql: str) -> bool:
    with line.cursor() as cursor:
        cursor.execute(sql, {"key": LOCK_KEY})
        return bool(cursor.fetchone()[0])


HOLDERS = (
    "FROM pg_locks WHERE locktype = 'advisory' AND objid = %(key)s "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


def lose_connections(line: Any) -> None:
    """Of whoever holds the lock, as a restart of the server does."""
    assert ask(line, "SELECT bool_and(pg_terminate_backend(pid)) " + HOLDERS)
    while ask(line, "SELECT count(*) " + HOLDERS):
        time.sleep(0.01)


def is_soon_free(line: Any) -> bool:
    """The server frees the lock when it notices that its holder's line is closed."""
    deadline = time.monotonic() + 10
    while not ask(line, "SELECT pg_try_advisory_lock(%(key)s)"):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


@pytest.mark.django_db
def test_a_second_demonstration_on_the_same_database_says_so(other: Any) -> None:
    assert ask(other, "SELECT pg_try_advisory_lock(%(key)s)")
    with pytest.raises(UnableToRunDemo, match="Another demonstration"), alone():
        pass
    ask(other, "SELECT pg_advisory_unlock(%(key)s)")
    with alone():
        assert not ask(other, "SELECT pg_try_advisory_lock(%(key)s)")
    assert is_soon_free(other)


@pytest.mark.django_db
def test_the_hold_outlives_a_restart_of_the_database(other: Any) -> None:
    with alone() as hold:
        for _ in range(2):
            hold.keep()
            assert not ask(other, "SELECT pg_try_advisory_lock(%(key)s)")
            lose_connections(other)
    assert is_soon_free(other)


@pytest.mark.django_db
def test_whoever_was_faster_after_a_restart_has_the_database(other: Any) -> None:
    with alone() as hold:
        lose_connections(other)
        assert ask(other, "SELECT pg_try_advisory_lock(%(key)s)")
        with pytest.raises(UnableToRunDemo, match="Another demonstration"):
            hold.keep()


def test_it_does_not_run_in_production(settings: Settings, tmp_path: Path) -> None:
    settings.IS_PRODUCTION = True
    with pytest.raises(UnableToRunDemo, match="not run in production"):
        demonstrate(options(tmp_path), Console(), Console(stderr=True))


def test_it_does_not_bother_a_real_provider(settings: Settings, tmp_path: Path) -> None:
    settings.EMAIL_PROVIDER = "sendgrid"
    settings.SENDGRID_API_HOST = "https://api.sendgrid.com"
    with pytest.raises(UnableToRunDemo, match="EMAIL_PROVIDER is sendgrid"):
        demonstrate(options(tmp_path), Console(), Console(stderr=True))


def test_a_port_that_was_asked_for_and_is_taken_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UnableToRunDemo, match=f"Port {port} is taken"):
            choose_port(port)


def test_without_a_wish_the_next_free_port_is_taken() -> None:
    with socket.socket() as taken:
        first = choose_port(None)
        # As servers do: connections of before that linger are no obstacle.
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", first))
        taken.listen()
        assert DEFAULT_PORT <= first < choose_port(None)
