"""Search agents in a real browser: live preview, switch, undo, hiding, and without JavaScript."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Browser, Page, expect

from agents.models import DigestSection, MutedCompany, ReportedCompany, ScheduledMailReport
from listings.models import Company
from marketplace.models import User
from notifications.models import Delivery, State
from tests.browser.test_pages import PASSWORD, serious_problems, sign_in
from tests.factories import AgentFactory, CompanyFactory, UserFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
NOW = datetime.now(UTC)


@pytest.fixture
def person() -> User:
    user = UserFactory.create(email="mia@example.com", name="Mia Muster")
    user.set_password(PASSWORD)
    user.save()
    ScheduledMailReport.objects.filter(user=user).delete()
    return user


@pytest.fixture
def mailed(person: User) -> ScheduledMailReport:
    """An agent with a mail that showed one company and left two waiting."""
    agent = AgentFactory.create(user=person, name="Sawmills", keywords="oak")
    CompanyFactory.create(title="Oak mill", published_at=NOW - timedelta(days=2))
    delivery = Delivery.objects.create(
        idempotency_key=f"digest:1:{person.pk}",
        kind="digest",
        user=person,
        address=person.email,
        state=State.SENT,
        finished_at=NOW,
    )
    DigestSection.objects.create(
        delivery=delivery,
        agent=agent,
        criteria=agent.criteria.to_json(),
        frequency="daily",
        window_from=NOW - timedelta(days=3),
        waiting=2,
        waiting_from=NOW - timedelta(days=3),
        waiting_until=NOW,
    )
    ReportedCompany.objects.create(
        agent=agent,
        user=person,
        company=Company.objects.get(),
        delivery=delivery,
        reported_at=NOW,
    )
    return agent


def test_the_preview_follows_what_is_typed(page: Page, person: User) -> None:
    CompanyFactory.create(title="Oak mill")
    CompanyFactory.create(title="Beech mill")
    sign_in(page, person)
    page.goto("/agents/new/")
    preview = page.locator("#preview")
    expect(preview).to_contain_text("2 companies match now.")
    expect(page.get_by_role("button", name="Update the preview")).to_be_hidden()
    page.get_by_label("Keywords").press_sequentially("beech", delay=20)
    expect(preview).to_contain_text("1 company matches now.")
    expect(preview.get_by_role("link")).to_contain_text("Beech mill")
    page.get_by_label("Price up to").fill("x")
    expect(preview).to_contain_text("Enter a price in euros")
    page.get_by_label("Price up to").fill("5")
    expect(preview).to_contain_text("nothing like it came in the last 90 days")


def test_the_switch_works_in_place_and_keeps_the_focus(page: Page, person: User) -> None:
    agent = AgentFactory.create(user=person, name="Sawmills")
    sign_in(page, person)
    url = page.url
    switch = page.get_by_role("switch", name="Sawmills", exact=True)
    expect(switch).to_be_checked()
    for on in (False, True):
        switch.press("Enter")
        expect(switch).to_be_checked(checked=on)
        expect(switch).to_be_focused()
        # Until then the new button is one without JavaScript: it would load the page anew.
        expect(page.locator(".htmx-added")).to_have_count(0)
        agent.refresh_from_db()
        assert (agent.is_active, page.url) == (on, url)


def test_a_deletion_is_taken_back(page: Page, person: User) -> None:
    AgentFactory.create(user=person, name="Sawmills")
    sign_in(page, person)
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("“Sawmills” is deleted.")).to_be_visible()
    page.get_by_role("button", name="Undo Sawmills").click()
    expect(page.get_by_role("heading", name="Sawmills")).to_be_visible()


def test_from_the_history_to_what_waited_and_hiding_a_company(
    page: Page, person: User, mailed: ScheduledMailReport
) -> None:
    CompanyFactory.create(title="Oak wood", published_at=NOW - timedelta(days=1))
    sign_in(page, person)
    page.get_by_role("link", name="History").click()
    page.get_by_role("link", name="2 more matches waited").click()
    expect(page.get_by_role("heading", name="Oak wood")).to_be_visible()
    page.go_back()
    page.get_by_role("button", name="Don’t show me this company again Oak mill").click()
    expect(page.get_by_role("button", name="Show again Oak mill")).to_be_visible()
    assert MutedCompany.objects.filter(user=person, company__title="Oak mill").exists()


def test_a_company_is_hidden_from_its_card_in_the_search(page: Page, person: User) -> None:
    company = CompanyFactory.create(title="Oak mill")
    sign_in(page, person)
    page.goto("/companies/?keywords=oak")
    page.get_by_role("button", name="Don’t show me this company again Oak mill").click()
    expect(page.get_by_role("button", name="Show again Oak mill")).to_be_visible()
    assert page.url.endswith("/companies/?keywords=oak")
    assert serious_problems(page) == []
    assert MutedCompany.objects.filter(user=person, company=company).exists()


def test_without_javascript_everything_works(
    chromium: Browser, live_server: object, person: User
) -> None:
    CompanyFactory.create(title="Oak mill")
    CompanyFactory.create(title="Beech mill")
    agent = AgentFactory.create(user=person, name="Sawmills", keywords="oak")
    with chromium.new_context(
        base_url=str(live_server), locale="en", java_script_enabled=False
    ) as context:
        page = context.new_page()
        sign_in(page, person)
        page.get_by_role("switch", name="Sawmills").click()
        expect(page.get_by_text("“Sawmills” is switched off")).to_be_visible()
        page.get_by_role("link", name="Edit").click()
        page.get_by_label("Keywords").fill("beech")
        page.get_by_role("button", name="Update the preview").click()
        expect(page.locator("#preview")).to_contain_text("Beech mill")
        page.get_by_role("button", name="Save changes").click()
        expect(page.get_by_text("Your changes are saved.")).to_be_visible()
        page.get_by_role("button", name="Delete").click()
        page.get_by_role("button", name="Undo Sawmills").click()
        expect(page.get_by_text("“Sawmills” is back as it was.")).to_be_visible()
    agent.refresh_from_db()
    assert (agent.keywords, agent.is_active, agent.deleted_at) == ("beech", False, None)


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_serious_and_nothing_too_wide(
    page: Page, person: User, mailed: ScheduledMailReport, scheme: str, width: int
) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 800})
    AgentFactory.create(user=person, name="Off", is_active=False)
    AgentFactory.create(user=person, name="Gone", deleted_at=NOW)
    muted = CompanyFactory.create(title="A" * 60)
    MutedCompany.objects.create(user=person, company=muted)
    sign_in(page, person)
    for url in (
        "/agents/",
        "/agents/new/",
        f"/agents/{mailed.pk}/edit/",
        "/agents/history/",
        f"/agents/{mailed.pk}/history/",
        "/agents/hidden/",
        f"/companies/{muted.pk}/hide/",
        f"/companies/{muted.pk}/",
    ):
        page.goto(url)
        assert serious_problems(page) == [], url
        wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, url
