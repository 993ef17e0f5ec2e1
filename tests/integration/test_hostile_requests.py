"""Whatever is sent to whichever address, by whomever: the answer is never an error of ours."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from pytest_django import Settings

from marketplace.models import User
from tests.factories import AgentFactory, CompanyFactory, UserFactory
from tests.providers.signed_events import PUBLIC_KEY
from tests.signing_in import sign_in_just_now
from tests.url_patterns import all_templates, filled

pytestmark = pytest.mark.django_db

METHODS = ("PUT", "HEAD", "DELETE", "OPTIONS", "PROPFIND")
NUMBERS = ("0", str(2**63), "9" * 50)
TEXTS = ("%00", "%ff%fe", "%ED%A0%80", "a" * 3000)
# Whatever any page or admin list reads from its URL or form.
NAMES = (
    "after", "before", "sort", "order", "page", "p", "q", "o", "all", "next", "key", "token",
    "recipient", "keywords", "industries", "regions", "price_min", "price_max", "priced_only",
    "name", "frequency", "on", "seen", "anyway", "title", "description", "price", "currency",
    "industry", "region", "status", "language", "time_zone", "mail_hour", "mail_weekday",
    "mail_day_of_month", "email", "login", "password", "password1", "password2", "oldpassword",
    "code", "lasts", "address", "action", "_selected_action", "_popup", "_to_field", "id",
    "user__id__exact", "is_active__exact", "e", "form-TOTAL_FORMS", "message", "body", "text",
)  # fmt: skip
VALUES = ("", "\0", "9" * 60, "1e999", "\ud800", "ž'\"<>%s{}")
MULTIPART = "multipart/form-data; boundary=x"
BODIES: dict[str, tuple[bytes, str]] = {
    "ten megabytes": (b"name=" + b"a" * 10_000_000, "application/x-www-form-urlencoded"),
    "many fields": (b"a=1&" * 5000, "application/x-www-form-urlencoded"),
    "broken encoding": (b"name=%ff%00%zz&\xff\xfe=\x80", "application/x-www-form-urlencoded"),
    "deep JSON": (b"[" * 200_000, "application/json"),
    "wrong JSON": (b'{"name": "\xff"}', "application/json"),
    "list": (json.dumps([{"event": None, "sg_event_id": [1]}] * 3).encode(), "application/json"),
    "no boundary": (b"--x\r\n", "multipart/form-data"),
    "broken parts": (b"--x\r\nContent-Disposition: form-data\r\n\r\n", MULTIPART),
    "nothing known": (b"\0\1\2", "application/octet-stream"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _as_often_as_one_likes(settings: Settings) -> None:
    cache.clear()
    settings.ACCOUNT_RATE_LIMITS = False
    # Without keys webhooks answer 503: come back when we can check who you are.
    settings.SENDGRID_WEBHOOK_PUBLIC_KEY = PUBLIC_KEY
    settings.TWILIO_AUTH_TOKEN = "not a secret"


@dataclass(frozen=True)
class Asker:
    """Sends a request and answers the status; staff try the admin, everybody else the rest."""

    send: Callable[..., int]
    reads_admin: bool

    def addresses(self) -> list[str]:
        return [path for path in all_templates() if path.startswith("/admin/") == self.reads_admin]


@pytest.fixture(params=["guest", "person", "staff"])
def ask(request: pytest.FixtureRequest) -> Asker:
    """Answers a status; whatever a request has changed is undone, so that the next is the same."""
    who = User()
    CompanyFactory.create(seller=UserFactory.create())
    AgentFactory.create()
    client = Client(raise_request_exception=False)
    if request.param != "guest":
        is_staff = request.param == "staff"
        who = UserFactory.create(is_staff=is_staff, is_superuser=is_staff)
        AgentFactory.create(user=who)
        sign_in_just_now(client, who)

    def asked(method: str, path: str, data: bytes = b"", kind: str = "") -> int:
        cookies = client.cookies.output()
        with transaction.atomic():
            response = client.generic(method, path, data, kind or "text/plain")
            status = response.status_code
            if response.streaming:
                b"".join(response)
            transaction.set_rollback(True)
        if client.cookies.output() != cookies and who.pk:
            client.cookies.clear()
            sign_in_just_now(client, who)
        return status

    return Asker(asked, reads_admin=request.param == "staff")


def failures(ask: Asker, requests: Iterator[tuple[object, ...]]) -> dict[str, int]:
    """What was answered by 500 and above, by a short name of the request."""
    found = {}
    for method, path, *body in requests:
        if (status := ask.send(method, path, *body)) >= 500:
            found[f"{method} {str(path)[:120]} {str(body)[:60]}"] = status
    return found


def test_values_in_the_path(ask: Asker) -> None:
    def requests() -> Iterator[tuple[object, ...]]:
        for template in ask.addresses():
            if "{" not in template:
                continue
            for number in NUMBERS[-1:] if ask.reads_admin else NUMBERS:
                yield "GET", filled(template, {"int": number, "str": number})
            for text in TEXTS:
                yield "GET", filled(template, {"int": text, "str": text})

    assert failures(ask, requests()) == {}


def test_values_in_the_query(ask: Asker) -> None:
    def requests() -> Iterator[tuple[object, ...]]:
        queries = _forms(3)
        for template in ask.addresses():
            path = filled(template, {"int": "1", "slug": "en", "str": "1"})
            for query in queries:
                yield "GET", f"{path}?{query}"
            yield "GET", f"{path}?%ff=%00&=&&&%=%"

    assert failures(ask, requests()) == {}


def test_methods(ask: Asker) -> None:
    def requests() -> Iterator[tuple[object, ...]]:
        for template in ask.addresses():
            path = filled(template, {"int": "1", "slug": "en", "str": "1"})
            yield from ((method, path) for method in METHODS[: 1 if ask.reads_admin else None])

    assert failures(ask, requests()) == {}


def test_forms_and_bodies(ask: Asker) -> None:
    def requests() -> Iterator[tuple[object, ...]]:
        forms = [form.encode() for form in _forms(3)]
        for template in ask.addresses():
            path = filled(template, {"int": "1", "slug": "en", "str": "1"})
            for form in forms:
                yield "POST", path, form, "application/x-www-form-urlencoded"
            # The admin reads every body as the one form it is.
            for body, kind in list(BODIES.values())[: 3 if ask.reads_admin else None]:
                yield "POST", path, body, kind

    assert failures(ask, requests()) == {}


def test_the_walk_finds_the_pages_of_every_app() -> None:
    templates = set(all_templates())
    assert {
        "/", "/companies/{int}/", "/agents/{int}/edit/", "/accounts/login/", "/admin/",
        "/admin/agents/scheduledmailreport/{path}/change/", "/webhooks/sendgrid/",
        "/mail/unsubscribe/{str}/", "/account/tokens/{int}/revoke/", "/api/v1/agents/{str}",
    } <= templates  # fmt: skip
    assert len(templates) > 100


def _forms(count: int) -> list[str]:
    """All names with a value each: every form another mixture, none with the same at a name."""
    return [
        urlencode(
            {name: VALUES[(place + 2 * turn) % len(VALUES)] for place, name in enumerate(NAMES)},
            errors="surrogatepass",
        )
        for turn in range(count)
    ]
