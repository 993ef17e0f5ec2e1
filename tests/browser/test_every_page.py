"""Every page, light and dark: nothing serious for assistive tools, nothing wider than a phone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.conf import settings as site
from django.contrib import admin
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page
from pytest_django import Settings

from agents.models import ScheduledMailReport
from agents.welcome import plan_welcome
from marketplace.models import User
from notifications.models import Delivery
from notifications.unsubscribe_tokens import token_of
from tests.browser.test_pages import serious_problems
from tests.factories import AgentFactory, CompanyFactory, UserFactory
from tests.firing import send
from tests.signing_in import sign_in_just_now

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
GUEST = [
    *["/", "/companies/", "/imprint/", "/privacy/", "/terms/", "/outbox/"],
    *["/accounts/login/", "/accounts/signup/", "/accounts/login/code/"],
    *[
        "/accounts/password/reset/",
        "/accounts/password/reset/key/1-x/",
        "/accounts/confirm-email/x/",
    ],
]
PERSON = [
    *["/agents/", "/agents/new/", "/agents/history/", "/agents/hidden/", "/my-companies/"],
    *["/my-companies/new/", "/account/", "/account/mail-times/", "/account/promotions/"],
    *["/account/tokens/", "/account/delete/", "/accounts/email/", "/accounts/password/change/"],
    *["/accounts/2fa/", "/accounts/2fa/totp/activate/", "/accounts/sessions/"],
    *["/accounts/reauthenticate/", "/accounts/logout/"],
]
STAFF = [
    *["/operations/", "/admin/", "/staff/mails/", "/staff/mails/welcome/de/"],
    # Forms with boxes in which one types to find a row.
    *["/admin/marketplace/suspension/add/", "/admin/agents/scheduledmailreport/add/"],
    *["/admin/account/emailaddress/add/", "/admin/listings/company/add/"],
]


@pytest.fixture
def person() -> User:
    """Somebody with an agent, a company for sale, and a mail."""
    user = UserFactory.create(email="mia@example.com", name="Mia Muster")
    AgentFactory(user=user)
    CompanyFactory.create(seller=user)
    plan_welcome(user, datetime.now(UTC))
    send()
    return user


def sign_in(page: Page, user: User) -> None:
    client = Client()
    sign_in_just_now(client, user)
    cookie = client.cookies[site.SESSION_COOKIE_NAME].value
    page.goto("/healthz")
    page.context.add_cookies([{"name": site.SESSION_COOKIE_NAME, "value": cookie, "url": page.url}])


def problems_of(page: Page, urls: list[str]) -> dict[str, list[str]]:
    """What is wrong with each page, light and dark; pages that are fine are left out."""
    found: dict[str, list[str]] = {}
    for url in urls:
        page.emulate_media(color_scheme="light")
        page.goto(url, wait_until="networkidle")
        problems = serious_problems(page)
        page.emulate_media(color_scheme="dark")
        page.wait_for_timeout(100)
        problems += serious_problems(page)
        width = page.evaluate("document.scrollingElement.scrollWidth - innerWidth")
        if width > 0:
            problems.append(f"{width} px too wide")
        if problems:
            found[url] = problems
    return found


def test_what_everybody_sees(page: Page, person: User, settings: Settings) -> None:
    settings.IS_DEVELOPMENT, settings.EMAIL_PROVIDER = True, "outbox"
    delivery = Delivery.objects.get()
    company = CompanyFactory.create()
    urls = [f"/companies/{company.pk}/", f"/mail/unsubscribe/{token_of(delivery)}/"]
    urls += [f"/outbox/{delivery.pk}/", f"/outbox/{delivery.pk}/text/"]
    assert problems_of(page, GUEST + urls) == {}


def test_what_a_person_sees(page: Page, person: User) -> None:
    agent = ScheduledMailReport.objects.filter(user=person).latest("pk")
    company = CompanyFactory.create()
    urls = [f"/agents/{agent.pk}/edit/", f"/agents/{agent.pk}/history/"]
    urls += [f"/companies/{company.pk}/write/", f"/companies/{company.pk}/"]
    sign_in(page, person)
    assert problems_of(page, PERSON + urls) == {}


def test_what_staff_see(page: Page, person: User) -> None:
    sign_in(page, UserFactory.create(is_staff=True, is_superuser=True))
    urls = list(STAFF)
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        urls.append(reverse(f"{name}_changelist"))
        if (row := model._default_manager.order_by("-pk").first()) is not None:
            urls.append(reverse(f"{name}_change", args=[row.pk]))
    assert problems_of(page, urls) == {}
