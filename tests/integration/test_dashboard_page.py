"""The dashboard's pages: who may see them, what they show, and where each number leads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from agents.models import ReportRun
from config.celery import app
from marketplace.models import User
from marketplace.roles import grant_roles
from notifications.limiter import server as limiter_server
from notifications.models import Delivery, DeliveryEvent, ProviderQuota
from operations.rollup import roll_up, roll_up_person_days
from tests.factories import UserFactory
from tests.outages import free_port

pytestmark = pytest.mark.django_db
PAGES = ["/operations/", "/operations/figures/"]
ALL = [*PAGES, "/admin/"]
HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def _empty_queues() -> None:
    app.control.purge()


@pytest.fixture
def operator(client: Client) -> User:
    """A signed-in administrator."""
    user = UserFactory.create(is_staff=True, is_superuser=True, time_zone="UTC")
    client.force_login(user)
    return user


def sign_in(client: Client, *rights: str, **fields: object) -> None:
    user = UserFactory.create(**fields)
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    client.force_login(user)


def words(response: Any) -> str:
    """What the page says, on one line."""
    text = re.sub(r"<[^>]+>", " ", response.content.decode())
    return " ".join(unescape(text).replace("\N{NO-BREAK SPACE}", " ").split())


def links(response: Any) -> set[str]:
    return {
        unescape(url) for url in re.findall(r'href="(/admin/[^"]+)"', response.content.decode())
    }


def delivery(state: str, at: datetime, **fields: object) -> Delivery:
    values: dict[str, object] = {
        "idempotency_key": str(uuid4()), "kind": "digest", "address": "a@example.com",
        "provider": "sendgrid", "created_at": at, "dispatched_at": at, "next_attempt_at": at,
        "state": state, **fields,
    }  # fmt: skip
    return Delivery.objects.create(**values)


def fill(now: datetime) -> None:
    """Some of everything, around now."""
    person = UserFactory.create()
    mails = [delivery("sent", now - 2 * HOUR, user=person) for _ in range(8)]
    for number, kind in ((7, "delivered"), (3, "opened"), (1, "clicked"), (1, "complained")):
        for mail in mails[:number]:
            event(mail, kind, now)
    event(mails[7], "bounced", now)
    delivery("pending", now - 5 * timedelta(minutes=1), provider="", dispatched_at=None)
    delivery("pending", now + HOUR, provider="", dispatched_at=None)
    delivery("claimed", now, lease_token=uuid4(), lease_expires_at=now)
    for state, number in (("uncertain", 2), ("dead", 3)):
        for _ in range(number):
            delivery(state, now - HOUR)
    run = ReportRun.objects.create(
        frequency="daily", occurrence=now - HOUR, cutoff=now, started_at=now, finished_at=now,
        due=21, eligible=20, matched=80, duplicates=20, digests=9, deferred=4,
    )  # fmt: skip
    Delivery.objects.filter(pk__in=[mail.pk for mail in mails[:6]]).update(subject_id=run.pk)
    roll_up(now=now)
    roll_up_person_days(now=now)


def event(mail: Delivery, kind: str, now: datetime) -> None:
    DeliveryEvent.objects.create(
        provider="sendgrid", provider_event_id=str(uuid4()), kind=kind, delivery=mail,
        happened_at=now,
    )  # fmt: skip


@pytest.mark.parametrize("url", PAGES)
def test_guests_are_led_to_signing_in_and_members_find_no_such_page(
    client: Client, url: str
) -> None:
    response = client.get(url)
    assert (response.status_code, response["Location"]) == (302, f"/accounts/login/?next={url}")
    sign_in(client)
    assert client.get(url).status_code == 404
    sign_in(client, "view_delivery")
    assert client.get(url).status_code == 404


@pytest.mark.parametrize("url", PAGES)
def test_staff_need_the_right_to_see_the_ledger(client: Client, url: str) -> None:
    sign_in(client, "view_company", is_staff=True)
    assert client.get(url).status_code == 403
    sign_in(client, "view_delivery", is_staff=True)
    response = client.get(url)
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]
    assert client.post(url).status_code == 405


def test_the_admins_home_shows_it_to_who_may_see_the_ledger(client: Client) -> None:
    sign_in(client, "view_company", is_staff=True)
    home = client.get("/admin/")
    assert (home.status_code, "Mails an hour" in words(home)) == (200, False)
    assert "Companies" in words(home)
    sign_in(client, "view_delivery", is_staff=True)
    home = client.get("/admin/")
    assert (home.status_code, "Mails an hour" in words(home)) == (200, True)


@pytest.mark.parametrize("url", ALL)
def test_an_empty_marketplace_shows_zeros(client: Client, operator: User, url: str) -> None:
    response = client.get(url)
    assert response.status_code == 200
    page = words(response)
    assert "Sent in 24 hours 0 0 in this hour Opened – 0 in 30 days" in page
    assert "Waiting to be sent 0 The oldest has waited – Waiting for another attempt 0" in page
    assert "On their way 0 Uncertain 0 Dead letters 0" in page
    assert "Nothing was sent in these hours." in page
    assert "No provider has reported an arrival in 30 days." in page
    assert "Search agents have found nothing in 30 days." in page
    assert "Nobody with an account got mail in 30 days." in page
    assert "hourly never" in page
    assert "Mails have not been counted yet." in page


@pytest.mark.parametrize("url", ALL)
def test_the_figures_are_those_of_the_rows(client: Client, operator: User, url: str) -> None:
    fill(datetime.now(UTC))
    page = words(client.get(url))
    assert "Sent in 24 hours 8 0 in this hour" in page
    assert "Opened 42.9 % 3 in 30 days Clicked 14.3 % 1 in 30 days" in page
    assert "Bounced 12.5 % 1 in 30 days Reported as spam 14.3 % 1 in 30 days" in page
    assert "Duplicates removed 25.0 % 20 in 30 days" in page
    assert "20 of 80 hits were known to their people already." in page
    assert "Waiting to be sent 1 The oldest has waited 5 min Waiting for another attempt 1" in page
    assert "On their way 1 Uncertain 2 Dead letters 3" in page
    assert "Mails per person and day 8.00 on average" in page
    daily = re.search(r"daily (?:\w{3} \d+ \w{3}, )?\d\d:\d\d .*?monthly", page)
    assert daily is not None
    assert re.search(r" 21 9 6 4 weekly never", daily[0])
    assert "not been counted" not in page


def test_what_was_sent_since_the_last_count_is_shown_at_once(
    client: Client, operator: User
) -> None:
    now = datetime.now(UTC)
    roll_up(now=now - timedelta(seconds=90))
    assert "Sent in 24 hours 0" in words(client.get("/operations/figures/"))
    delivery("sent", now - timedelta(seconds=1))
    assert "Sent in 24 hours 1" in words(client.get("/operations/figures/"))
    roll_up(now=datetime.now(UTC))
    assert "Sent in 24 hours 1" in words(client.get("/operations/figures/"))


def test_figures_that_nobody_has_counted_for_a_while_say_so(client: Client, operator: User) -> None:
    roll_up(now=datetime.now(UTC) - timedelta(minutes=11))
    assert "Mails are counted up to" in words(client.get("/operations/figures/"))
    roll_up(now=datetime.now(UTC) - timedelta(minutes=9))
    assert "Mails are counted up to" not in words(client.get("/operations/figures/"))


def test_every_link_leads_to_a_list_with_its_rows(client: Client, operator: User) -> None:
    fill(datetime.now(UTC))
    found = links(client.get("/operations/figures/"))
    assert len(found) > 100
    some = [
        url
        for url in sorted(found)
        if "dispatched_at__gte" not in url or any(part in url for part in ("T00%3A00", "T12%3A00"))
    ]
    for url in some:
        response = client.get(url)
        assert response.status_code == 200, url
        assert "e=1" not in url
    assert {url.partition("?")[0] for url in found} >= {
        "/admin/notifications/delivery/",
        "/admin/notifications/deliveryevent/",
        "/admin/notifications/uncertaindelivery/",
        "/admin/notifications/deadletter/",
        "/admin/notifications/providerquota/",
        "/admin/agents/reportrun/",
    }


def rows_behind(client: Client, page: Any, number: str, label: str) -> int:
    """How many rows the list has that the number after the label leads to."""
    pattern = rf'{label}</(?:dt|h2)>.*?<a href="([^"]+)">{number}</a>'
    found = re.search(pattern, page.content.decode(), re.S)
    assert found is not None, label
    response = client.get(unescape(found[1]))
    assert response.status_code == 200, response["Location"]
    return len(response.context["cl"].result_list)


def test_numbers_lead_to_as_many_rows(client: Client, operator: User) -> None:
    fill(datetime.now(UTC))
    page = client.get("/operations/figures/")
    for label, number in (
        ("Sent in 24 hours", 8),
        ("Waiting to be sent", 1),
        ("Waiting for another attempt", 1),
        ("On their way", 1),
        ("Uncertain", 2),
        ("Dead letters", 3),
    ):
        assert rows_behind(client, page, str(number), label) == number


def test_nobody_is_led_where_they_may_not_go(client: Client) -> None:
    fill(datetime.now(UTC))
    sign_in(client, "view_delivery", is_staff=True)
    found = links(client.get("/operations/figures/"))
    assert {url.partition("?")[0] for url in found if "/change/" not in url} == {
        "/admin/notifications/delivery/"
    }


def test_the_role_of_viewers_sees_it_all(client: Client) -> None:
    grant_roles(apps)
    user = UserFactory.create(is_staff=True)
    user.groups.add(Group.objects.get(name="viewer"))
    client.force_login(user)
    assert "/admin/agents/reportrun/" in " ".join(links(client.get("/operations/")))


def test_more_rows_cost_no_more_queries(client: Client, operator: User) -> None:
    roll_up(now=datetime.now(UTC))
    counts = []
    for _ in range(3):
        with CaptureQueriesContext(connection) as queries:
            client.get("/operations/figures/")
        counts.append(len(queries))
        fill(datetime.now(UTC) - timedelta(seconds=1))
    assert len(set(counts[1:])) == 1
    assert counts[2] <= 22


def test_the_use_of_a_quota_is_read_without_taking_any(client: Client, operator: User) -> None:
    ProviderQuota.of("outbox", per_minute=300)
    quota = ProviderQuota.objects.get(provider="outbox")
    quota.paused_at, quota.pause_reason = datetime.now(UTC), "The key is wrong."
    quota.save()
    before = sorted(limiter_server.server().keys("limit:*"))
    page = words(client.get("/operations/figures/"))
    assert "outbox paused The key is wrong. This minute 0 of 300" in page
    assert sorted(limiter_server.server().keys("limit:*")) == before


@pytest.fixture
def redis_away(settings: Settings) -> Iterator[None]:
    """Nobody answers where Redis should be."""
    away = f"redis://127.0.0.1:{free_port()}/0"
    settings.REDIS_URL = away
    default = {**settings.CACHES["default"], "LOCATION": away}
    settings.CACHES = {**settings.CACHES, "default": default}
    urls = {name: app.conf[name] for name in ("broker_url", "broker_write_url")}
    app.conf.update(dict.fromkeys(urls, away))
    yield
    app.conf.update(urls)


@pytest.mark.usefixtures("redis_away")
@pytest.mark.parametrize("url", ALL)
def test_without_redis_the_rest_is_shown(client: Client, operator: User, url: str) -> None:
    fill(datetime.now(UTC))
    ProviderQuota.of("outbox", per_minute=300)
    response = client.get(url)
    assert response.status_code == 200
    page = words(response)
    assert "Redis does not answer" in page
    assert "outbox unknown This minute unknown of 300" in page
    assert "default unknown –" in page
    assert "Opened 42.9 %" in page


def test_it_speaks_the_readers_language_and_writes_their_numbers(
    client: Client, operator: User
) -> None:
    fill(datetime.now(UTC))
    User.objects.filter(pk=operator.pk).update(language="de")
    response = client.get("/operations/")
    assert 'lang="de"' in response.content.decode()
    assert "42,9 %" in words(response)
    assert not re.search(r'(?:x|y|width|height|cx|cy)="[\d.]*,', response.content.decode())


def test_a_worker_and_beat_that_live_are_well(client: Client, operator: User) -> None:
    page = words(client.get("/operations/figures/"))
    assert "Database : all is well" in page
    assert "Redis : all is well" in page
    assert "Schedule : something is wrong" in page


def test_the_pages_have_names(client: Client) -> None:
    assert reverse("operations_dashboard") == "/operations/"
    assert reverse("operations_figures") == "/operations/figures/"
