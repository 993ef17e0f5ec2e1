"""The dashboard in a real browser: it renews itself, fits every screen, and can be read by all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Page, expect

from agents.models import ReportRun
from marketplace.models import User
from notifications.models import Delivery, DeliveryEvent
from operations.rollup import roll_up, roll_up_person_days
from tests.browser.test_pages import serious_problems
from tests.factories import UserFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
URLS = ["/operations/", "/admin/"]
# Two renewals, and some.
PATIENCE_MS = 15_000


def sign_in(page: Page, user: User) -> None:
    client = Client()
    client.force_login(user)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.goto("/healthz")
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": page.url}]
    )


@pytest.fixture
def operator(page: Page) -> User:
    """A signed-in administrator."""
    user = UserFactory.create(is_staff=True, is_superuser=True)
    sign_in(page, user)
    return user


def mail(user: User, at: datetime) -> Delivery:
    return Delivery.objects.create(
        idempotency_key=str(uuid4()), kind="digest", address="a@example.com", user=user,
        provider="sendgrid", created_at=at, dispatched_at=at, state="sent",
    )  # fmt: skip


@pytest.fixture
def filled(operator: User) -> None:
    """Some days of mails, with what became of them."""
    now = datetime.now(UTC)
    for day in range(12):
        for number in range(6):
            sent = mail(operator, now - timedelta(days=day, minutes=5 + number))
            for kind in ["delivered", "opened", "clicked"][: number % 4]:
                DeliveryEvent.objects.create(
                    provider="sendgrid", provider_event_id=str(uuid4()), kind=kind,
                    delivery=sent, happened_at=now,
                )  # fmt: skip
        at = now - timedelta(days=day, hours=1)
        ReportRun.objects.create(
            frequency="daily", occurrence=at, cutoff=at, started_at=at, finished_at=at,
            due=1234, matched=100, duplicates=20 + day, digests=480,
        )  # fmt: skip
    roll_up(now=now)
    roll_up_person_days(now=now)


@pytest.mark.parametrize("url", URLS)
def test_a_new_number_appears_without_loading_the_page_again(
    page: Page, operator: User, url: str
) -> None:
    now = datetime.now(UTC)
    roll_up(now=now)
    page.goto(url)
    tile = page.locator(".ops-tile", has_text="Sent in 24 hours").locator(".ops-figure")
    expect(tile).to_have_text("0")
    page.evaluate("window.isTheSamePage = true")
    for _ in range(3):
        mail(operator, datetime.now(UTC))
    expect(tile).to_have_text("3", timeout=PATIENCE_MS)
    assert page.evaluate("window.isTheSamePage")


def test_what_a_reader_opened_and_chose_stays_so(page: Page, filled: None) -> None:
    page.goto("/operations/")
    table = page.locator("#readers-table")
    table.locator("summary").click()
    table.locator("tbody tr a").nth(4).focus()
    chosen = page.evaluate("document.activeElement.textContent")
    table.locator(".ops-scroll").evaluate("(scroll) => { scroll.scrollTop = 60 }")
    with page.expect_response("**/operations/figures/", timeout=PATIENCE_MS):
        pass
    page.wait_for_function(
        "document.activeElement.isConnected && !document.querySelector('.htmx-request')"
    )
    assert table.evaluate("(details) => details.open")
    assert table.locator(".ops-scroll").evaluate("(scroll) => scroll.scrollTop") == 60
    assert page.evaluate("document.activeElement.textContent") == chosen


def test_a_page_that_nobody_sees_asks_for_nothing(page: Page, operator: User) -> None:
    asked: list[str] = []
    page.goto("/operations/")
    page.evaluate("Object.defineProperty(document, 'hidden', {get: () => window.isHidden})")
    page.evaluate("window.isHidden = true")
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(7_000)
    assert asked == []
    page.evaluate("window.isHidden = false; document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_timeout(500)
    assert [url.rpartition("/operations/")[2] for url in asked] == ["figures/"]


def test_a_server_that_is_away_is_told_of_until_it_answers(page: Page, operator: User) -> None:
    page.goto("/operations/")
    page.route("**/operations/figures/", lambda route: route.abort("aborted"))
    words = page.get_by_text("No answer from the server. These figures are old")
    expect(words).to_be_visible(timeout=PATIENCE_MS)
    page.unroute("**/operations/figures/")
    expect(words).to_be_hidden(timeout=PATIENCE_MS)


def test_a_session_that_ended_leads_to_signing_in_and_back(page: Page, operator: User) -> None:
    page.goto("/operations/")
    page.context.clear_cookies()
    page.wait_for_url("**/accounts/login/?next=%2Foperations%2F", timeout=PATIENCE_MS)


@pytest.mark.parametrize("size", [(390, 844), (768, 1024), (1280, 800), (1920, 1080), (3840, 2160)])
@pytest.mark.parametrize("url", URLS)
def test_it_fits_from_a_phone_to_a_wall(
    page: Page, filled: None, url: str, size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(url)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    widths = page.locator(".ops-plot").evaluate_all("(all) => all.map((e) => e.clientWidth)")
    assert len(widths) == 5
    assert min(widths) > 200


@pytest.mark.parametrize("url", URLS)
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_serious_for_people_with_assistive_tools(
    page: Page, filled: None, scheme: str, url: str, width: int
) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(url)
    for summary in page.locator(".ops-table > summary").all():
        summary.click()
    assert [found for found in serious_problems(page) if ".ops" in found or "ops-" in found] == []
    if url == "/operations/":
        assert serious_problems(page) == []
