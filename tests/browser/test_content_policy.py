"""No page asks the browser for anything that the content policy forbids: its console stays empty.

The fixture `page` fails on every error in the console, and a broken policy is one.
"""

from __future__ import annotations

import re

import pytest
from django.test import Client
from playwright.sync_api import Page, expect
from pytest_django import Settings

from marketplace.models import User
from notifications.models import Delivery
from tests.browser.test_pages import serious_problems
from tests.factories import AgentFactory, CompanyFactory, UserFactory
from tests.firing import fire, publish, send
from tests.signing_in import sign_in_just_now

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def staff() -> User:
    return UserFactory.create(is_staff=True, is_superuser=True, language="en")


@pytest.fixture
def signed_in_page(page: Page, staff: User, live_server: object) -> Page:
    """The browser is this person, who has just proved it."""
    client = Client()
    sign_in_just_now(client, staff)
    page.context.add_cookies(
        [{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": str(live_server)}]
    )
    return page


def test_pages_of_guests(page: Page) -> None:
    company = CompanyFactory.create()
    for url in (
        "/", "/companies/", f"/companies/{company.pk}/", "/accounts/login/", "/accounts/signup/",
        "/accounts/password/reset/", "/accounts/login/code/", "/imprint/", "/privacy/", "/terms/",
        "/api/v1/docs",
    ):  # fmt: skip
        answer = page.goto(url, wait_until="load")
        assert answer is not None
        assert answer.ok, url
        assert "Content-Security-Policy".lower() in answer.headers, url


def test_pages_of_people(signed_in_page: Page, staff: User) -> None:
    agent = AgentFactory.create(user=staff)
    for url in (
        "/agents/", "/agents/new/", f"/agents/{agent.pk}/edit/", "/account/", "/account/tokens/",
        "/account/mail-times/", "/account/delete/", "/accounts/email/", "/accounts/2fa/",
        "/accounts/2fa/totp/activate/", "/accounts/sessions/", "/staff/mails/",
        "/staff/mails/account-deleted/en/", "/api/v1/docs",
    ):  # fmt: skip
        answer = signed_in_page.goto(url, wait_until="networkidle")
        assert answer is not None
        assert answer.ok, url


def test_pages_of_the_admin(signed_in_page: Page, staff: User) -> None:
    agent = AgentFactory.create(user=staff)
    for url in (
        "/admin/", "/admin/agents/scheduledmailreport/", "/admin/marketplace/user/",
        f"/admin/agents/scheduledmailreport/{agent.pk}/change/",
    ):  # fmt: skip
        answer = signed_in_page.goto(url, wait_until="networkidle")
        assert answer is not None
        assert answer.ok, url


def test_a_token_is_made_copied_and_revoked(signed_in_page: Page) -> None:
    signed_in_page.goto("/account/tokens/")
    signed_in_page.get_by_label("Name").fill("Our sheet")
    signed_in_page.get_by_role("button", name="Make a token").click()
    expect(signed_in_page.locator(".ml-token-secret code")).to_have_text(
        re.compile(r"^mlt_[\w-]{43}$")
    )
    assert serious_problems(signed_in_page) == []
    signed_in_page.goto("/account/tokens/")
    expect(signed_in_page.locator(".ml-token-secret")).to_have_count(0)
    signed_in_page.get_by_role("button", name="Revoke Our sheet").click()
    expect(signed_in_page.get_by_text("is revoked")).to_be_visible()


def test_the_page_of_the_api_lists_the_operations(signed_in_page: Page) -> None:
    signed_in_page.goto("/api/v1/docs", wait_until="networkidle")
    expect(signed_in_page.get_by_text("/api/v1/agents/{agent_id}/matches")).to_be_visible()


def test_the_page_of_the_api_has_nothing_serious_for_assistive_tools(
    signed_in_page: Page, scheme: str
) -> None:
    page = signed_in_page
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto("/api/v1/docs", wait_until="networkidle")
    operations = page.locator(".opblock-summary-control")
    expect(operations).to_have_count(11)
    assert serious_problems(page) == []
    for number in range(11):
        operations.nth(number).click()
    page.get_by_role("button", name="Try it out").first.click()
    page.get_by_role("button", name="Execute").click()
    expect(page.locator(".live-responses-table .microlight").first).to_be_visible()
    page.locator(".json-schema-2020-12-expand-deep-button").first.click()
    assert serious_problems(page) == []
    page.get_by_role("button", name="Authorize").click()
    expect(page.locator(".auth-container input").first).to_be_visible()
    assert serious_problems(page) == []


def test_pages_of_the_outbox(page: Page, settings: Settings) -> None:
    settings.IS_DEVELOPMENT = True
    AgentFactory.create()
    publish("Oak mill", minutes_ago=5)
    fire()
    send()
    mail = f"/outbox/{Delivery.objects.get(kind='digest').pk}/"
    for url in ("/outbox/", mail + "text/", mail + "headers/", mail):
        answer = page.goto(url, wait_until="networkidle")
        assert answer is not None
        assert answer.ok, url
    frame = page.locator("iframe").bounding_box()
    assert frame is not None
    assert frame["height"] > 500
