"""The unsubscribe page in a real browser: two buttons that work, nothing serious, no overflow."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from agents.models import ScheduledMailReport
from notifications.models import Delivery
from notifications.unsubscribe import unsubscribe_url
from tests.factories import AgentFactory, UserFactory
from tests.firing import fire, publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def link() -> str:
    """The path in the mail of a person with two agents, one of which spoke."""
    person = UserFactory.create(email="mia@example.com")
    AgentFactory.create(user=person, name="Donaudampfschifffahrtsgesellschaften" * 2)
    AgentFactory.create(user=person, name="Boats", frequency="monthly")
    publish("A", minutes_ago=5)
    fire()
    return urlsplit(unsubscribe_url(Delivery.objects.get(kind="digest"))).path


def switched_on() -> int:
    return ScheduledMailReport.objects.filter(is_active=True, is_default=False).count()


def test_one_button_for_this_mail_and_one_for_all(page: Page, link: str) -> None:
    page.goto(link)
    assert switched_on() == 2
    page.get_by_role("button", name="Unsubscribe", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You are unsubscribed")
    assert switched_on() == 1
    page.get_by_role("button", name="Unsubscribe from: All your search agents").click()
    expect(page.get_by_role("main").get_by_text("All your search agents")).to_be_visible()
    expect(page.get_by_role("main").get_by_role("button")).to_have_count(0)
    assert switched_on() == 0
    page.get_by_role("main").get_by_role("link", name="Sign in").click()
    expect(page.get_by_label("Password")).to_be_visible()


def test_nothing_serious_and_nothing_wider_than_a_phone(page: Page, link: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(link)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    problems = Axe().run(page).response["violations"]
    page.get_by_role("button", name="Unsubscribe", exact=True).click()
    problems += Axe().run(page).response["violations"]
    assert [rule["id"] for rule in problems if rule["impact"] in ("serious", "critical")] == []
