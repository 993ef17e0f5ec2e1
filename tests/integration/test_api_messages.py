"""What the API says of refused values: in the language of the request, for every kind of value."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from agents.api.messages import COUNTED, MESSAGES, UNKNOWN
from tests.factories import AgentFactory, UserFactory

pytestmark = pytest.mark.django_db
WRONG: tuple[Any, ...] = (
    None, True, 7, -1, 1.5, 10**30, "", " ", "\ud800", "x" * 300, "1e400", "nan", "12.345",
    "1234567890123456", "-3", [], ["x" * 20], ["\ud800"], [None], ["C"] * 300, {}, {"a": 1},
)  # fmt: skip
FIELDS = ("industries", "regions", "price_min", "price_max", "keywords", "include_on_request")


@pytest.fixture
def client() -> Client:
    browser = Client()
    browser.force_login(UserFactory.create(language="en"))
    return browser


def said(client: Client, method: str, path: str, body: Any = None) -> list[str]:
    """The messages of a refused request, or none where it was taken."""
    answer = client.generic(method, path, json.dumps(body), "application/json")
    return [error["message"] for error in answer.json().get("errors", [])]


def test_every_refusal_has_words_of_its_own(client: Client) -> None:
    agent = AgentFactory.create(user=client.get("/account/").wsgi_request.user)
    bodies: list[Any] = [*WRONG, {"nope": 1}]
    bodies += [{name: value} for name in ("name", "frequency", "allow_same") for value in WRONG]
    bodies += [{"criteria": value} for value in WRONG]
    bodies += [{"criteria": {field: value}} for field in (*FIELDS, "no") for value in WRONG]
    heard = []
    for body in bodies:
        for method, path in (("POST", "/api/v1/agents"), ("PATCH", f"/api/v1/agents/{agent.pk}")):
            heard += said(client, method, path, body)
    for query in ("after=-1", "after=x", f"after={10**30}", "after=1.5", "before=x"):
        for path in ("agents", "history", "agents/1/matches", f"agents/{10**25}", "agents/x"):
            heard += said(client, "GET", f"/api/v1/{path}?{query}")
    assert len(heard) > 200
    assert UNKNOWN not in heard
    pydantics = ("Input should", "String should", "Field required", "Decimal input", "List should")
    assert [text for text in heard if text.startswith((*pydantics, "Extra", "Unable"))] == []
    assert [text for text in heard if "%(" in text] == []


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "en",
            ["This field is required.", "Must be one of: hourly, daily, weekly, monthly.",
             "Must be a list.", "Must be at least 0.",
             "May have at most 2 digits after the point.",
             "Must have at most 200 characters.", "There is no such field."],
        ),
        (
            "de",
            ["Dieses Feld ist erforderlich.",
             "Muss einer dieser Werte sein: hourly, daily, weekly, monthly.",
             "Muss eine Liste sein.", "Muss mindestens 0 sein.",
             "Darf höchstens 2 Stellen nach dem Punkt haben.",
             "Darf höchstens 200 Zeichen haben.", "Dieses Feld gibt es nicht."],
        ),
        (
            "hr",
            ["Ovo polje je obavezno.", "Mora biti jedno od: hourly, daily, weekly, monthly.",
             "Mora biti popis.", "Mora biti najmanje 0.",
             "Smije imati najviše 2 znamenke iza točke.",
             "Smije imati najviše 200 znakova.", "Takvo polje ne postoji."],
        ),
    ],
)  # fmt: skip
def test_the_words_are_in_the_persons_language(language: str, expected: list[str]) -> None:
    client = Client()
    client.force_login(UserFactory.create(language=language))
    criteria = {
        "industries": 1, "price_min": "-1", "price_max": "1.234", "keywords": "x" * 201, "no": 1
    }  # fmt: skip
    body = {"frequency": "yearly", "criteria": criteria}
    assert said(client, "POST", "/api/v1/agents", body) == expected


def test_no_type_has_two_texts() -> None:
    assert set(MESSAGES) & set(COUNTED) == set()
