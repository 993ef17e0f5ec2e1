"""The pages in a real browser: forms work, and the accessibility checker finds nothing serious."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from agents.models import ScheduledMailReport
from marketplace.models import User
from tests.factories import CompanyFactory, UserFactory, industry, region

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PASSWORD = "a long quiet harbour 7"


@pytest.fixture
def person() -> User:
    user = UserFactory.create(email="mia@example.com", name="Mia Muster")
    user.set_password(PASSWORD)
    user.save()
    return user


def sign_in(page: Page, person: User) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("Email").fill(person.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign In").click()


def serious_problems(page: Page) -> list[str]:
    """The serious rules of the accessibility checker that the page breaks, with the places."""
    found = Axe().run(page).response["violations"]
    return [
        f"{rule['id']}: {node['target']} {node['html']}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]


def test_the_sign_up_form_asks_for_address_and_password(page: Page) -> None:
    page.goto("/accounts/signup/")
    expect(page.get_by_label("Email")).to_be_visible()
    expect(page.get_by_label("Password", exact=True)).to_be_visible()
    expect(page.get_by_role("main").get_by_role("button", name="Sign Up")).to_be_visible()


def test_signing_in_shows_my_agents_and_the_menu_signs_out(page: Page, person: User) -> None:
    sign_in(page, person)
    expect(page.get_by_role("heading", level=1)).to_have_text("My search agents")
    menu = page.locator("summary", has_text="Mia")
    menu.click()
    page.keyboard.press("Escape")
    expect(page.get_by_text("Sign out")).to_be_hidden()
    menu.click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()


def test_a_search_becomes_an_agent(page: Page, person: User) -> None:
    CompanyFactory.create(industry=industry("C16"), region=region("DE-BY"))
    sign_in(page, person)
    page.goto("/companies/?price_max=600000")
    page.get_by_role("link", name="Mail me what is new in this search").click()
    page.get_by_label("Name").fill("Up to 600,000")
    page.get_by_role("button", name="Create search agent").click()
    expect(page.get_by_role("heading", name="Up to 600,000")).to_be_visible()
    assert ScheduledMailReport.objects.get(name="Up to 600,000").price_max == 600_000


def test_on_a_phone_filters_are_folded_and_on_a_desktop_open(page: Page) -> None:
    page.goto("/companies/")
    price = page.get_by_label("Price from")
    expect(price).to_be_hidden()
    page.get_by_text("More filters").click()
    expect(price).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto("/companies/")
    expect(price).to_be_visible()


@pytest.mark.parametrize("width", [360, 390, 1280])
def test_no_page_is_wider_than_the_screen(page: Page, person: User, width: int) -> None:
    company = CompanyFactory.create(title="Donaudampfschifffahrtsgesellschaftskapitän" * 3)
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, person)
    for url in ("/", "/companies/", f"/companies/{company.pk}/", "/agents/", "/agents/new/"):
        page.goto(url)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, url


def test_nothing_serious_for_people_with_assistive_tools(
    page: Page, person: User, scheme: str
) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    company = CompanyFactory.create()
    found = {}
    for url in (
        "/",
        "/companies/?industries=C&price_min=x",
        "/companies/",
        f"/companies/{company.pk}/",
        "/accounts/login/",
        "/accounts/signup/",
    ):
        page.goto(url)
        found[url] = serious_problems(page)
    sign_in(page, person)
    for url in ("/agents/", "/agents/new/?industries=C16", "/account/mail-times/"):
        page.goto(url)
        if url == "/agents/":
            page.locator("summary", has_text="Mia").click()
        found[url] = serious_problems(page)
    assert {url: problems for url, problems in found.items() if problems} == {}
