"""Every address answers only the methods that it has: 405 with `Allow` for all others."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from pytest_django import Settings

from tests.factories import AgentFactory, CompanyFactory, UserFactory
from tests.signing_in import sign_in_just_now
from tests.url_patterns import all_templates, filled

pytestmark = pytest.mark.django_db
OWN = r"(agents|listings|marketplace|notifications|operations)\.((\w+_)?views|views\.\w+)"
REFUSE_BY_THEMSELVES = ("/api/", "/webhooks/")


@pytest.fixture(autouse=True)
def _as_often_as_one_likes(settings: Settings) -> None:
    cache.clear()
    settings.ACCOUNT_RATE_LIMITS = False


def addresses() -> list[str]:
    """Every path of a page, with ids that are there where a company or an agent is meant."""
    company, agent = CompanyFactory.create(), AgentFactory.create()
    kinds = {"int": str(company.pk), "str": "x", "slug": "en"}
    paths = [
        filled(path, {**kinds, "int": str(agent.pk)} if path.startswith("/agents/") else kinds)
        for path in all_templates()
    ]
    assert len(paths) > 100
    return [path for path in paths if not path.startswith(REFUSE_BY_THEMSELVES)]


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"])
@pytest.mark.parametrize("is_signed_in", [False, True])
def test_pages_refuse_what_they_do_not_take(method: str, is_signed_in: bool) -> None:
    client = Client(enforce_csrf_checks=True)
    if is_signed_in:
        sign_in_just_now(client, UserFactory.create(is_staff=True, is_superuser=True))
    wrong = {}
    for path in addresses():
        answer = client.generic(method, path)
        if answer.status_code != 405 or method in answer.get("Allow", method):
            wrong[path] = answer.status_code
    assert wrong == {}


def test_pages_say_what_they_take() -> None:
    for path in addresses():
        answer = Client().options(path)
        assert (answer.status_code, answer.content) == (200, b""), path
        assert {"OPTIONS"} < set(answer["Allow"].split(", ")), path


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/", "GET, HEAD, OPTIONS"),
        ("/agents/", "GET, HEAD, OPTIONS"),
        ("/agents/new/", "GET, HEAD, POST, OPTIONS"),
        ("/agents/1/switch/", "POST, OPTIONS"),
        ("/accounts/login/", "GET, HEAD, POST, OPTIONS"),
    ],
)
def test_the_refusal_names_what_there_is_instead(path: str, allowed: str) -> None:
    answer = Client().delete(path)
    assert (answer.status_code, answer["Allow"]) == (405, allowed)
    assert "Nothing was changed" in answer.content.decode()


def test_what_is_only_read_takes_no_form() -> None:
    person = UserFactory.create()
    company, agent = CompanyFactory.create(), AgentFactory.create(user=person)
    client = Client()
    client.force_login(person)
    for path in (
        "/", f"/companies/{company.pk}/", "/agents/", "/agents/history/", "/agents/hidden/",
        f"/agents/{agent.pk}/history/",
    ):  # fmt: skip
        assert client.head(path).status_code == 200, path
        answer = client.post(path)
        assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD"), path


def test_every_view_of_ours_says_which_methods_it_takes() -> None:
    unmarked = [
        f"{pattern.callback.__module__}.{pattern.callback.__name__}"
        for pattern in _patterns(get_resolver().url_patterns)
        if re.fullmatch(OWN, pattern.callback.__module__)
        and not hasattr(pattern.callback, "allowed_methods")
        and not hasattr(pattern.callback, "view_class")
    ]
    assert unmarked == []


def _patterns(entries: list[URLPattern | URLResolver]) -> Iterator[URLPattern]:
    for entry in entries:
        if isinstance(entry, URLResolver):
            yield from _patterns(entry.url_patterns)
        else:
            yield entry
