"""Too many attempts are refused for a while, by all processes together, and also without Redis."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from pytest_django import Settings

from config.checked_env import CHECKS
from config.security import RATES
from marketplace.personal_tokens import make_token
from marketplace.rate_limits import limited
from marketplace.shared_cache import SharedCache
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
PASSWORD = "a long quiet harbour 7"


@pytest.fixture(autouse=True)
def _no_attempts_yet() -> None:
    cache.clear()


def rates(settings: Settings, **changed: str) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, **changed}


@pytest.mark.parametrize(
    ("action", "url", "fields"),
    [
        ("signup", "/accounts/signup/", {"email": "x"}),
        ("login", "/accounts/login/", {"login": "x@example.com", "password": "x"}),
        ("reset_password", "/accounts/password/reset/", {"email": "x@example.com"}),
    ],
)
def test_forms_of_guests_answer_429_with_a_page_and_a_time(
    client: Client, settings: Settings, action: str, url: str, fields: dict[str, str]
) -> None:
    rates(settings, **{action: "2/m/ip", "login_failed": "100/m/ip"})
    assert [client.post(url, fields).status_code < 400 for _ in range(2)] == [True, True]
    refused = client.post(url, fields, headers={"accept": "text/html", "accept-language": "en"})
    assert (refused.status_code, refused["Retry-After"]) == (429, "60")
    assert "Too many attempts" in refused.content.decode()
    assert client.get(url).status_code == 200


def test_a_password_cannot_be_guessed_from_many_addresses(client: Client) -> None:
    person = UserFactory.create()
    person.set_password(PASSWORD)
    person.save()
    for number in range(5):
        client.post(
            "/accounts/login/",
            {"login": person.email, "password": "wrong"},
            REMOTE_ADDR=f"192.0.2.{number}",
        )
    client.post("/accounts/login/", {"login": person.email, "password": PASSWORD})
    assert "_auth_user_id" not in client.session


def test_the_api_counts_by_person_and_answers_a_problem(settings: Settings) -> None:
    rates(settings, api="2/m/key")
    now = datetime.now(UTC)
    for person in UserFactory.create_batch(2):
        _, secret = make_token(person.pk, name="x", lasts=timedelta(days=1), now=now)
        api = Client(headers={"authorization": f"Bearer {secret}", "accept": "*/*"})
        answers = [api.get("/api/v1/agents") for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert answers[2]["Retry-After"] == "60"
        assert answers[2].json()["title"] == "Too Many Requests"


def test_a_view_is_limited_by_person_and_guests_by_address(
    settings: Settings, rf: RequestFactory
) -> None:
    rates(settings, preview="1/m/key")

    @limited("preview")
    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse("ok")

    def status(address: str, person: object = None, **headers: str) -> int:
        request = rf.post("/x", REMOTE_ADDR=address, headers=headers)
        request.user = person  # type: ignore[assignment]
        return view(request).status_code

    person, other = UserFactory.create_batch(2)
    assert status("192.0.2.1", person) == 200
    assert status("192.0.2.2", person, accept="application/json") == 429
    assert status("192.0.2.1", other) == 200
    assert status("192.0.2.1", accept="application/json") == 200
    assert status("192.0.2.1", accept="application/json") == 429
    assert status("192.0.2.3") == 200


def test_the_preview_is_limited(client: Client, settings: Settings) -> None:
    rates(settings, preview="1/m/key")
    client.force_login(UserFactory.create())
    assert [client.post("/agents/preview/").status_code for _ in range(2)] == [200, 429]
    assert client.get("/agents/new/").status_code == 200


def test_what_is_counted_is_shared_while_redis_is_there_and_kept_when_it_is_not() -> None:
    here, there = (SharedCache(cache._servers[0], {}) for _ in range(2))  # type: ignore[attr-defined]
    assert here.add("attempt", 1, 60)
    assert not there.add("attempt", 2, 60)
    assert there.get("attempt") == 1


def test_without_redis_pages_work_and_attempts_are_counted_by_this_process(
    client: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SharedCache, "away_until", 0.0)
    settings.CACHES = {
        "default": {**settings.CACHES["default"], "LOCATION": "redis://127.0.0.1:1/0"}
    }
    rates(settings, login="2/m/ip", login_failed="100/m/ip")
    cache.clear()
    person = UserFactory.create()
    person.set_password(PASSWORD)
    person.save()
    wrong = {"login": person.email, "password": "wrong"}
    assert client.post("/accounts/login/", wrong).status_code == 200
    right = client.post("/accounts/login/", {**wrong, "password": PASSWORD})
    assert right.status_code == 302
    assert Client().post("/accounts/login/", wrong).status_code == 429
    assert Client().get("/companies/").status_code == 200


def test_the_default_rates_pass_the_check_of_the_environment() -> None:
    for name, default in RATES.values():
        is_right, _ = CHECKS[name]
        assert is_right(default), name
        for wrong in ("", "20", "20/m", "20/m/ip,", "x/m/ip", "20/m/user/ip"):
            assert not is_right(wrong), wrong
