"""The API of search agents: one's own, by token or session, under the rules of the pages."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from agents.models import DigestSection, ReportedCompany, ScheduledMailReport
from marketplace.models import User
from marketplace.personal_tokens import PersonalToken, make_token, revoke_token
from notifications.models import Delivery, DispatchLimits
from tests.factories import AgentFactory, CompanyFactory, UserFactory, industry, region

pytestmark = pytest.mark.django_db
AGENTS = "/api/v1/agents"


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    cache.clear()


@pytest.fixture
def person() -> User:
    """Somebody without the agent that everybody gets at sign-up."""
    person = UserFactory.create()
    person.agents.all().delete()
    return person


def token_of(person: User) -> str:
    now = datetime.now(UTC)
    return make_token(person.pk, name="Sheet", lasts=timedelta(days=30), now=now)[1]


@pytest.fixture
def api(person: User) -> Client:
    return Client(
        headers={"authorization": f"Bearer {token_of(person)}", "accept-language": "en"},
        enforce_csrf_checks=True,
    )


def send(api: Client, method: str, url: str, body: Any = None, **headers: str) -> Any:
    return api.generic(
        method, url, "" if body is None else json.dumps(body), "application/json",
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )  # fmt: skip


def test_an_agent_is_made_read_changed_paused_resumed_and_deleted(
    api: Client, person: User
) -> None:
    industry("C16"), region("DE-BY")
    criteria = {
        "industries": ["c16"], "regions": ["DE-BY"], "price_max": "1234.56", "keywords": "wood",
        "include_on_request": False,
    }  # fmt: skip
    made = send(api, "POST", AGENTS, {"name": "Wood", "frequency": "daily", "criteria": criteria})
    assert made.status_code == 201
    agent = ScheduledMailReport.objects.get(user=person)
    shown = made.json()
    assert shown["id"] == agent.pk
    assert shown["criteria"] == agent.criteria.to_json() == {
        "industries": ["C16"], "regions": ["DE-BY"], "price_min": None, "price_max": "1234.56",
        "keywords": "wood", "include_on_request": False,
    }  # fmt: skip
    url = f"{AGENTS}/{agent.pk}"
    changed = send(api, "PATCH", url, {"name": "Timber"}).json()
    assert (changed["name"], changed["criteria"]) == ("Timber", shown["criteria"])
    assert send(api, "POST", f"{url}/pause").json()["next_run_at"] is None
    assert not ScheduledMailReport.objects.get().is_active
    assert send(api, "POST", f"{url}/resume").json()["is_active"] is True
    assert api.get(url).json()["name"] == "Timber"
    assert send(api, "DELETE", url).status_code == 204
    assert api.get(url).status_code == 404
    assert api.get(AGENTS).json() == {"items": [], "next": None}


def test_rules_and_words_are_those_of_the_pages(api: Client, person: User) -> None:
    bad = {"name": "Wood", "criteria": {"industries": ["ZZ"], "price_min": 2, "price_max": 1}}
    refused = send(api, "POST", AGENTS, bad)
    assert refused.status_code == 422
    assert refused.json() == {
        "status": 422,
        "title": "Unprocessable Entity",
        "detail": "Some values cannot be used.",
        "errors": [
            {"field": "criteria.industries", "message": "ZZ is not known here."},
            {
                "field": "criteria.price_max",
                "message": "The highest price must not be below the lowest.",
            },
        ],
    }
    wrong_type = send(api, "POST", AGENTS, {"name": "", "criteria": {"price_min": -1}})
    assert [error["field"] for error in wrong_type.json()["errors"]] == [
        "name",
        "criteria.price_min",
    ]
    assert not ScheduledMailReport.objects.exists()


def test_the_limit_and_the_same_search_are_conflicts(api: Client, person: User) -> None:
    DispatchLimits.objects.update_or_create(pk=1, defaults={"max_agents_per_user": 2})
    assert send(api, "POST", AGENTS, {"name": "All"}).status_code == 201
    same = send(api, "POST", AGENTS, {"name": "All again"})
    assert (same.status_code, same.json()["title"]) == (409, "Conflict")
    assert send(api, "POST", AGENTS, {"name": "Again", "allow_same": True}).status_code == 201
    full = send(api, "POST", AGENTS, {"name": "Third", "criteria": {"keywords": "wood"}})
    assert full.status_code == 409
    assert full.json()["detail"].startswith("You have 2 search agents")
    assert ScheduledMailReport.objects.count() == 2


def test_a_repeated_request_makes_no_second_agent(api: Client) -> None:
    body = {"name": "All", "allow_same": True}
    first = send(api, "POST", AGENTS, body, idempotency_key="k1")
    # Older than the guard against double clicks reaches back.
    ScheduledMailReport.objects.update(created_at=datetime.now(UTC) - timedelta(hours=1))
    again = send(api, "POST", AGENTS, body, idempotency_key="k1")
    assert first.json()["id"] == again.json()["id"]
    other = send(api, "POST", AGENTS, {**body, "name": "Other"}, idempotency_key="k1")
    assert other.status_code == 422
    assert ScheduledMailReport.objects.count() == 1
    assert send(api, "POST", AGENTS, body, idempotency_key="k2").status_code == 201
    assert ScheduledMailReport.objects.count() == 2


def test_a_refused_request_frees_its_key(api: Client) -> None:
    bad = {"name": "X", "criteria": {"industries": ["ZZ"]}}
    assert send(api, "POST", AGENTS, bad, idempotency_key="k").status_code == 422
    assert send(api, "POST", AGENTS, {"name": "X"}, idempotency_key="k").status_code == 201


def test_others_agents_do_not_exist_here(api: Client) -> None:
    other = AgentFactory.create()
    url = f"{AGENTS}/{other.pk}"
    answers = {
        send(api, method, url + path, body).status_code
        for method, path, body in (
            ("GET", "", None), ("PATCH", "", {"name": "Mine"}), ("DELETE", "", None),
            ("POST", "/pause", None), ("POST", "/resume", None), ("GET", "/matches", None),
            ("GET", "/waiting", None), ("GET", "/history", None),
        )
    }  # fmt: skip
    assert answers == {404}
    other.refresh_from_db()
    assert (other.is_active, other.deleted_at) == (True, None)


def test_lists_come_in_pages(api: Client, person: User) -> None:
    agents = AgentFactory.create_batch(21, user=person)
    first = api.get(AGENTS).json()
    assert [item["id"] for item in first["items"]] == [agent.pk for agent in agents[:20]]
    second = api.get(AGENTS, {"after": first["next"]}).json()
    assert ([item["id"] for item in second["items"]], second["next"]) == ([agents[20].pk], None)


def test_matches_come_in_pages_and_waiting_ones_leave_out_what_was_shown(
    api: Client, person: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    agent = AgentFactory.create(user=person)
    companies = CompanyFactory.create_batch(21)
    shown = companies[0]
    ReportedCompany.objects.create(
        agent=agent, user=person, company=shown, reported_at=datetime.now(UTC)
    )
    newest_first = [company.pk for company in reversed(companies)]
    url = f"{AGENTS}/{agent.pk}"
    api.get(url)
    # The token with its person, the agent, the page.
    with django_assert_num_queries(3):
        first = api.get(f"{url}/matches").json()
    second = api.get(f"{url}/matches", {"after": first["next"]}).json()
    assert [item["id"] for item in first["items"] + second["items"]] == newest_first
    waiting = api.get(f"{url}/waiting").json()
    assert [item["id"] for item in waiting["items"]] == newest_first[:20]
    assert waiting["next"] is None
    send(api, "POST", f"{url}/pause")
    assert api.get(f"{url}/waiting").json()["items"] == []


def test_history_says_what_was_mailed(api: Client, person: User) -> None:
    agent, company = AgentFactory.create(user=person), CompanyFactory.create()
    mail = Delivery.objects.create(user=person, kind="digest", idempotency_key="one")
    DigestSection.objects.create(
        delivery=mail, agent=agent, criteria=agent.criteria.to_json(), frequency="daily",
        window_from=datetime.now(UTC), waiting=3,
    )  # fmt: skip
    ReportedCompany.objects.create(
        agent=agent, user=person, company=company, delivery=mail, reported_at=datetime.now(UTC)
    )
    Delivery.objects.create(user=UserFactory.create(), kind="digest", idempotency_key="two")
    for url in ("/api/v1/history", f"{AGENTS}/{agent.pk}/history"):
        [item] = api.get(url).json()["items"]
        assert (item["id"], item["state_in_words"]) == (mail.pk, "waiting to be sent")
        assert item["parts"] == [
            {
                "agent_id": agent.pk,
                "agent_name": agent.name,
                "company_ids": [company.pk],
                "waiting": 3,
            }
        ]


def test_without_a_valid_token_nothing_is_told(api: Client, person: User) -> None:
    token = PersonalToken.objects.get()
    assert Client().get(AGENTS).status_code == 401
    assert Client(headers={"authorization": "Bearer mlt_x\udc80"}).get(AGENTS).status_code == 401
    revoke_token(token, datetime.now(UTC))
    refused = api.get(AGENTS)
    assert (refused.status_code, refused["WWW-Authenticate"]) == (401, "Bearer")
    assert refused.json()["title"] == "Unauthorized"
    assert refused.json()["detail"] == (
        "Send a valid token: this one is missing, unknown, expired or revoked."
    )
    PersonalToken.objects.update(revoked_at=None)
    assert api.get(AGENTS).status_code == 200
    PersonalToken.objects.update(
        created_at=datetime(2020, 1, 1, tzinfo=UTC), expires_at=datetime.now(UTC)
    )
    assert api.get(AGENTS).status_code == 401
    PersonalToken.objects.update(expires_at=datetime.now(UTC) + timedelta(days=1))
    User.objects.update(is_active=False)
    assert api.get(AGENTS).status_code == 401


def test_a_session_works_too_and_needs_the_csrf_token_to_change_anything(person: User) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(person)
    assert browser.get(AGENTS).status_code == 200
    assert send(browser, "POST", AGENTS, {"name": "All"}).status_code == 403
    assert not ScheduledMailReport.objects.exists()
    browser.get("/api/v1/docs")
    csrf = browser.cookies["csrftoken"].value
    assert send(browser, "POST", AGENTS, {"name": "All"}, x_csrftoken=csrf).status_code == 201
    assert ScheduledMailReport.objects.get().user == person


@pytest.mark.parametrize(
    "body", ["{", "[" * 100_000, '{"name": "a\\u0000b"}', '{"name": "\\ud800"}', '{"name": NaN}',
             '{"name": "x", "criteria": {"price_min": 1e400}}', "\udcff"]
)  # fmt: skip
def test_broken_bodies_are_the_callers_fault(api: Client, body: str) -> None:
    data = body.encode(errors="surrogateescape")
    response = api.post(AGENTS, data, content_type="application/json")
    assert response.status_code in (400, 422)
    assert set(response.json()) == {"status", "title", "detail", "errors"}
    assert not ScheduledMailReport.objects.exists()
