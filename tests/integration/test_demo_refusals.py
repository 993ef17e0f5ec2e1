"""When the demonstration does not run, and what it says then."""

import socket
from pathlib import Path

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


@pytest.mark.django_db
def test_a_second_demonstration_on_the_same_database_says_so() -> None:
    settings = connection.settings_dict
    other = psycopg2.connect(
        host=settings["HOST"],
        port=settings["PORT"],
        user=settings["USER"],
        password=settings["PASSWORD"],
        dbname=settings["NAME"],
    )
    try:
        other.cursor().execute("SELECT pg_advisory_lock(%s)", [LOCK_KEY])
        with pytest.raises(UnableToRunDemo, match="Another demonstration"), alone():
            pass
        other.cursor().execute("SELECT pg_advisory_unlock(%s)", [LOCK_KEY])
    finally:
        other.close()
    with alone():
        pass


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
