"""`/readyz`: 200 when database, migrations and Redis are there, 503 with what is not."""

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from tests.outages import free_port

pytestmark = pytest.mark.django_db
LAST = ("notifications", "0009_handed_over_index")


def test_ready(client: Client, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    client.get("/readyz")
    # Whether the table of migrations exists, and what is in it.
    with django_assert_num_queries(2):
        response = client.get("/readyz")
    assert (response.status_code, response.json()) == (200, {"ready": True, "missing": []})
    assert "no-store" in response["Cache-Control"]


def test_without_redis(client: Client, settings: Settings) -> None:
    settings.REDIS_URL = f"redis://:secret@127.0.0.1:{free_port()}/0"
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (503, {"ready": False, "missing": ["redis"]})


def test_with_a_migration_that_was_not_applied(client: Client) -> None:
    MigrationRecorder(connection).record_unapplied(*LAST)
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json() == {"ready": False, "missing": ["migrations"]}


def test_without_the_database(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection.settings_dict, "PORT", str(free_port()))
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json() == {"ready": False, "missing": ["database"]}


def test_who_asks_over_http_is_not_sent_to_https(client: Client, settings: Settings) -> None:
    settings.SECURE_SSL_REDIRECT = True
    assert client.get("/readyz").status_code == 200
    assert client.get("/").status_code == 301


def test_it_can_only_be_read(client: Client) -> None:
    assert client.post("/readyz").status_code == 405
