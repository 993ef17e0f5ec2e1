"""Searching in place, and selling a company, in a real browser; also without script."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.test import Client
from playwright.sync_api import Browser, Page, expect

from listings.models import Company, CompanyStatus, Enquiry
from listings.paging import PAGE_SIZE
from marketplace.models import User
from tests.browser.test_pages import serious_problems
from tests.factories import CompanyFactory, UserFactory, industry, region

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def market() -> None:
    """A sawmill in Bavaria, and hotels enough for two pages."""
    at = datetime.now(UTC) - timedelta(days=1)
    CompanyFactory.create(title="Sawmill", industry=industry("C16"), price=Decimal(300_000))
    for number in range(PAGE_SIZE + 2):
        CompanyFactory.create(
            title=f"Hotel {number}",
            industry=industry("I55"),
            region=region("AT-1"),
            price=Decimal(400_000 + number),
            published_at=at - timedelta(minutes=number),
        )


@pytest.fixture
def seller(page: Page) -> User:
    """Somebody who is signed in."""
    person = UserFactory.create(email="mia@example.com", name="Mia Muster")
    sign_in(page, person)
    return person


def sign_in(page: Page, person: User) -> None:
    client = Client()
    client.force_login(person)
    value = client.cookies["sessionid"].value
    page.goto("/")
    page.context.add_cookies([{"name": "sessionid", "value": value, "url": page.url}])
    page.reload()


def count(page: Page) -> str:
    return page.locator("#result-count").inner_text()


def test_results_follow_what_is_typed_and_the_field_keeps_the_focus(
    page: Page, market: None
) -> None:
    page.goto("/companies/")
    keywords = page.get_by_label("Keywords")
    keywords.press_sequentially("sawmill")
    expect(page.locator("#result-count")).to_have_text("1 company")
    expect(page.locator("#search-status")).to_have_text("1 company")
    expect(keywords).to_be_focused()
    assert page.url.endswith("/companies/?keywords=sawmill")
    page.reload()
    assert count(page) == "1 company"


def test_the_back_button_undoes_filter_after_filter(page: Page, market: None) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto("/companies/")
    page.get_by_text("Narrow down by industry and region").click()
    page.locator(".ml-narrow-down a[href='/companies/?industries=I']").click()
    expect(page.locator("#result-count")).to_have_text("22 companies")
    page.get_by_label("Price up to").fill("400005")
    page.get_by_label("Price up to").blur()
    expect(page.locator("#result-count")).to_have_text("6 companies")
    page.get_by_role("link", name="Price, high to low").click()
    expect(page.locator(".ml-company-title").first).to_have_text("Hotel 5")
    for text in ("6 companies", "22 companies", "23 companies"):
        with page.expect_event("load"):
            page.go_back()
        expect(page.locator("#result-count")).to_have_text(text)
    expect(page.get_by_label("Price up to")).to_have_value("")


def test_a_filter_is_taken_away_by_its_chip(page: Page, market: None) -> None:
    page.goto("/companies/?industries=I55&keywords=hotel")
    assert count(page) == "22 companies"
    page.get_by_role("link", name="Remove this filter: “hotel”").click()
    expect(page.get_by_label("Keywords")).to_have_value("")
    expect(page.locator("#result-count")).to_be_focused()
    assert page.url.endswith("/companies/?industries=I55")
    expect(page.get_by_label("Price from")).to_be_hidden()  # still folded, as on every phone


def test_the_next_page_comes_in_place_and_keeps_the_order(page: Page, market: None) -> None:
    page.goto("/companies/?sort=price")
    page.get_by_role("link", name="Next page").click()
    expect(page.locator(".ml-company")).to_have_count(3)
    assert "sort=price&after=" in page.url
    page.get_by_label("Keywords").fill("hotel")
    expect(page.locator("#result-count")).to_have_text("22 companies")
    assert page.url.endswith("/companies/?keywords=hotel&sort=price")


def test_an_error_is_told_at_its_field_and_goes_when_mended(page: Page, market: None) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto("/companies/")
    page.get_by_label("Price from").fill("cheap")
    page.get_by_label("Price from").blur()
    expect(page.locator(".errorlist")).to_contain_text("Enter a price in euros")
    page.get_by_label("Price from").fill("1000")
    page.get_by_label("Price from").blur()
    expect(page.locator(".errorlist")).to_have_count(0)
    expect(page.locator("#result-count")).to_have_text("23 companies")


def test_all_of_it_works_without_script(
    chromium: Browser, live_server: object, market: None
) -> None:
    with chromium.new_context(base_url=str(live_server), java_script_enabled=False) as context:
        page = context.new_page()
        page.goto("/companies/")
        page.get_by_label("Price up to").fill("350000")
        page.get_by_role("button", name="Search").click()
        assert count(page) == "1 company"
        page.get_by_role("link", name="Remove this filter: up to €350,000").click()
        page.get_by_role("link", name="Price, high to low").click()
        page.get_by_role("link", name="Next page").click()
        assert page.locator(".ml-company-title").last.inner_text() == "Sawmill"


def test_a_company_is_entered_previewed_published_and_withdrawn(page: Page, seller: User) -> None:
    industry("C16")
    region("DE-BY")
    page.get_by_role("link", name="Sell").click()
    page.get_by_role("link", name="Describe your company").click()
    page.get_by_label("Title").fill("Joinery near Munich")
    page.get_by_label("Description").fill("Twelve people and a view.")
    page.get_by_label("Industry").select_option("C16")
    page.get_by_label("Region").select_option("DE-BY")
    page.get_by_label("Price").fill("dear")
    page.get_by_role("button", name="Save and preview").click()
    expect(page.locator(".errorlist")).to_contain_text("Enter a price such as 250000")
    page.get_by_label("Price").fill("250.000")
    page.get_by_role("button", name="Save and preview").click()
    expect(page.get_by_text("Only you and our staff see this page.")).to_be_visible()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("“Joinery near Munich” is published.")).to_be_visible()
    assert Company.objects.get().status == CompanyStatus.PUBLISHED
    page.locator("summary", has_text="Withdraw").click()
    page.get_by_role("button", name="Withdraw").click()
    expect(page.get_by_text("is withdrawn")).to_be_visible()
    expect(page.get_by_role("button", name="Publish again")).to_be_visible()


def test_a_message_goes_to_the_seller(page: Page, seller: User) -> None:
    company = CompanyFactory.create(title="Sawmill")
    page.goto(f"/companies/{company.pk}/")
    page.get_by_label("Your message").fill("Is it still for sale?")
    page.get_by_role("button", name="Send message").click()
    expect(page.get_by_text("Your message is on its way.")).to_be_visible()
    assert Enquiry.objects.get().message == "Is it still for sale?"


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_serious_and_nothing_too_wide(
    page: Page, seller: User, market: None, scheme: str, width: int
) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 800})
    company = CompanyFactory.create(title="Donaudampfschifffahrtsgesellschaft" * 3, seller=seller)
    company.price = Decimal(1_000)
    company.save()
    draft = CompanyFactory.create(seller=seller, status=CompanyStatus.DRAFT, published_at=None)
    hotel = Company.objects.get(title="Hotel 0")
    found = {}
    for url in (
        "/companies/?industries=I&price_max=900000&keywords=hotel",
        "/companies/?keywords=nothing",
        f"/companies/{hotel.pk}/",
        f"/companies/{company.pk}/",
        f"/companies/{draft.pk}/",
        "/my-companies/",
        "/my-companies/new/",
        f"/my-companies/{company.pk}/edit/",
    ):
        page.goto(url)
        page.evaluate("document.querySelectorAll('main details').forEach((d) => { d.open = true })")
        found[url] = serious_problems(page)
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found[url].append("wider than the screen")
    assert {url: problems for url, problems in found.items() if problems} == {}
