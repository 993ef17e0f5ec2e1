"""Who may read /metrics, and what it still tells when a store is away."""

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from pytest_django import Settings

from notifications import measures
from notifications.limiter import server as limiter_server
from operations import pulse
from tests.factories import UserFactory
from tests.outages import free_port

TOKEN = "a-token-for-tests"


@pytest.fixture(autouse=True)
def _token(settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN


def ask(client: Client, authorization: str) -> int:
    return client.get("/metrics", headers={"Authorization": authorization}).status_code


@pytest.mark.django_db
def test_a_bearer_of_the_token_may(client: Client) -> None:
    response = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/plain; version=")
    assert "no-store" in response["Cache-Control"]
    assert 'marktlotse_up{component="database"} 1.0' in response.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "authorization",
    ["Bearer wrong", "Bearer", "Bearer ", f"Basic {TOKEN}", TOKEN, "Bearer ümlaut", "\x00"],
)
def test_a_wrong_token_is_refused(client: Client, authorization: str) -> None:
    response = client.get("/metrics", headers={"Authorization": authorization})
    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Bearer"
    assert b"marktlotse" not in response.content


@pytest.mark.django_db
def test_without_a_token_set_nobody_bears_it(client: Client, settings: Settings) -> None:
    settings.METRICS_TOKEN = ""
    assert ask(client, "Bearer ") == 401
    assert ask(client, "Bearer") == 401


@pytest.mark.django_db
def test_for_others_there_is_no_such_page(client: Client) -> None:
    assert client.get("/metrics").status_code == 404
    client.force_login(UserFactory.create())
    assert client.get("/metrics").status_code == 404


@pytest.mark.django_db
def test_staff_may(client: Client) -> None:
    client.force_login(UserFactory.create(is_staff=True))
    assert client.get("/metrics").status_code == 200
    assert client.post("/metrics").status_code == 405


@pytest.mark.django_db
def test_without_redis_the_database_still_tells(client: Client, settings: Settings) -> None:
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    cache.close()
    response = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    text = response.content.decode()
    assert response.status_code == 200
    assert 'marktlotse_up{component="redis"} 0.0' in text
    assert 'marktlotse_up{component="database"} 1.0' in text
    assert "marktlotse_deliveries_open{" in text
    assert "marktlotse_deliveries_total{" not in text
    for servers in (measures._server, limiter_server._server, pulse._server):
        servers.cache_clear()


@pytest.mark.django_db(transaction=True)
def test_without_the_database_redis_still_tells(client: Client) -> None:
    connection.close()
    address = connection.settings_dict["PORT"]
    connection.settings_dict["PORT"] = str(free_port())
    try:
        response = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    finally:
        connection.settings_dict["PORT"] = address
        connection.close()
    text = response.content.decode()
    assert response.status_code == 200
    assert 'marktlotse_up{component="database"} 0.0' in text
    assert 'marktlotse_up{component="redis"} 1.0' in text
    assert "marktlotse_beat_last_pulse_timestamp_seconds" in text
