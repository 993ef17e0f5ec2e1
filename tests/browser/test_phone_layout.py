"""On a phone: the header has two rows whatever it says, and every agent card is laid out alike."""

import pytest
from playwright.sync_api import Page

from marketplace.models import User
from tests.browser.test_pages import PASSWORD, sign_in
from tests.factories import AgentFactory, UserFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
WIDTHS = [320, 375, 390]
NAMES = ["Mia Muster", "Maximiliane-Alexandra Hohenstein", "W" * 150]


def person(name: str, language: str) -> User:
    user = UserFactory.create(email="mia@example.com", name=name, language=language)
    user.set_password(PASSWORD)
    user.save()
    return user


def header_height(page: Page) -> float:
    box = page.locator(".ml-header").bounding_box()
    assert box is not None
    return box["height"]


def is_wider_than_the_screen(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > window.innerWidth"))


@pytest.mark.parametrize("width", WIDTHS)
def test_the_header_of_a_guest_has_two_rows(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto("/")
    for language in ("DE", "HR", "EN"):
        page.locator(".ml-languages").get_by_text(language, exact=True).click()
        assert header_height(page) < 110
        assert not is_wider_than_the_screen(page)


@pytest.mark.parametrize("name", NAMES)
def test_the_header_of_a_member_has_two_rows(page: Page, name: str) -> None:
    sign_in(page, person(name, "de"))
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        page.goto("/agents/")
        assert header_height(page) < 110
        assert not is_wider_than_the_screen(page)


@pytest.mark.parametrize("width", [375, 390, 1280])
def test_labels_stand_at_the_same_place_on_every_card(page: Page, width: int) -> None:
    user = person("Mia", "de")
    for frequency in ("hourly", "daily", "monthly"):
        AgentFactory.create(user=user, frequency=frequency)
    sign_in(page, user)
    page.set_viewport_size({"width": width, "height": 800})
    page.goto("/agents/")
    places = page.evaluate(
        """() => [...document.querySelectorAll(".ml-agent dl")].map((list) =>
          JSON.stringify([...list.querySelectorAll("dt, dd")].map((cell) => {
            const [outer, inner] = [list.getBoundingClientRect(), cell.getBoundingClientRect()];
            return [Math.round(inner.x - outer.x), Math.round(inner.y - outer.y)];
          })))"""
    )
    assert len(places) == 4
    assert len(set(places)) == 1
