"""The download of everything the site knows about a person, and nobody else."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from agents.models import ReportedCompany
from marketplace.models import User
from notifications.ledger import NewDelivery, open_deliveries
from tests.factories import UserFactory
from tests.factories.agents import AgentFactory
from tests.factories.listings import CompanyFactory
from tests.signing_in import sign_in_just_now

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
URL = "/account/data/"


def filled_person(name: str) -> User:
    user = UserFactory.create(name=name, email=f"{name.lower()}@example.com")
    agent = AgentFactory.create(user=user, name=f"Hotels of {name}", keywords=f"for {name}")
    company = CompanyFactory.create(seller=user, title=f"Offered by {name}")
    ReportedCompany.objects.create(agent=agent, user=user, company=company, reported_at=NOW)
    open_deliveries(
        [NewDelivery(f"digest:1:{user.pk}", "digest", user.pk, user.email, None, NOW, None)]
    )
    return user


def exported(client: Client) -> dict[str, list[dict[str, Any]]]:
    response = client.get(URL)
    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    assert response["Content-Disposition"].startswith('attachment; filename="marktlotse-')
    whole: dict[str, list[dict[str, Any]]] = json.loads(response.getvalue())
    return whole


def test_everything_of_the_person_and_nothing_of_others(client: Client) -> None:
    mia, _noah = filled_person("Mia"), filled_person("Noah")
    sign_in_just_now(client, mia)
    found = exported(client)
    assert [row["email"] for row in found["profile"]] == ["mia@example.com"]
    assert [row["email"] for row in found["addresses"]] == ["mia@example.com"]
    assert [(row["name"], row["keywords"]) for row in found["agents"]] == [
        ("All new companies", ""),
        ("Hotels of Mia", "for Mia"),
    ]
    assert [row["company__title"] for row in found["companies_shown"]] == ["Offered by Mia"]
    assert [row["title"] for row in found["companies"]] == ["Offered by Mia"]
    assert [(row["kind"], row["state"]) for row in found["deliveries"]] == [("digest", "pending")]
    whole = json.dumps(found)
    assert "Noah" not in whole
    assert "noah" not in whole
    assert "pbkdf2" not in whole
    assert "password" not in whole


def test_guests_sign_in_first(client: Client) -> None:
    assert client.get(URL)["Location"] == f"/accounts/login/?next={URL}"


def test_the_password_is_asked_again(client: Client) -> None:
    user = UserFactory.create()
    user.set_password("a long quiet harbour 7")
    user.save()
    client.force_login(user)
    page = client.get(URL)
    assert page["Location"].startswith("/accounts/reauthenticate/")
    response = client.post(page["Location"], {"password": "a long quiet harbour 7"})
    assert response["Location"] == URL
    assert exported(client)["profile"][0]["email"] == user.email
