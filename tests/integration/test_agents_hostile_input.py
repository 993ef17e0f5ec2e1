"""Hostile input on every page of agents: an answer below 500, always."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from marketplace.models import User
from tests.factories.agents import AgentFactory

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC)


HOSTILE = (
    "\x00",
    "9" * 40,
    "-1",
    "' OR 1=1 --",
    "121",
    "x" * 5000,
    "%00",
    "\r\nX: y",
)


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_values_are_never_our_fault(client: Client, person: User, value: str) -> None:
    agent = AgentFactory.create(user=person)
    names = ("name", "frequency", "industries", "regions", "price_min", "price_max", "keywords",
             "priced_only", "seen", "anyway", "on", "next", "before", "after", "page")  # fmt: skip
    data = dict.fromkeys(names, value)
    pk = agent.pk
    for url in ("/agents/", "/agents/new/", "/agents/history/", f"/agents/{pk}/history/",
                "/agents/hidden/", f"/agents/{pk}/edit/"):  # fmt: skip
        assert client.get(url, data).status_code == 200, url
    for url in ("/agents/new/", "/agents/preview/", f"/agents/{pk}/preview/", f"/agents/{pk}/edit/",
                f"/agents/{pk}/switch/", "/companies/1/show-again/"):  # fmt: skip
        assert client.post(url, data).status_code in (200, 302), url
    assert client.post("/companies/1/hide/", data).status_code == 404


def test_bytes_that_are_no_text_are_never_our_fault(client: Client, person: User) -> None:
    names = ("name", "frequency", "industries", "keywords", "price_min", "next", "seen")
    body = "&".join(f"{name}=%ff%ed%a0%80" for name in names).encode()
    form_type = "application/x-www-form-urlencoded"
    for url in ("/agents/new/", "/agents/preview/", "/companies/1/show-again/"):
        assert client.generic("POST", url, body, form_type).status_code in (200, 302)
    assert client.get("/agents/new/?" + body.decode()).status_code == 200


def test_ids_of_nobody_are_not_found(client: Client, person: User) -> None:
    for pk in ("0", "9" * 18, "9" * 40):
        for url in (f"/agents/{pk}/edit/", f"/agents/{pk}/history/", f"/companies/{pk}/hide/"):
            assert client.get(url).status_code == 404, url
        for action in ("preview", "switch", "delete", "restore"):
            assert client.post(f"/agents/{pk}/{action}/").status_code == 404
        assert client.post(f"/companies/{pk}/show-again/").status_code == 302
