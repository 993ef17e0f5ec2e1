"""A form is sent once, however often it is pressed, and again after going back."""

import pytest
from playwright.sync_api import Page, Route, expect

from agents.models import ScheduledMailReport
from marketplace.models import User
from tests.browser.test_pages import PASSWORD, sign_in
from tests.factories import UserFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def person() -> User:
    user = UserFactory.create(email="mia@example.com", name="Mia Muster")
    user.set_password(PASSWORD)
    user.save()
    return user


def slow_posts_of(page: Page) -> list[str]:
    """The addresses posted to from now on; each answer takes its time."""
    posts: list[str] = []

    def hold(route: Route) -> None:
        posts.append(route.request.url)
        page.wait_for_timeout(400)
        route.continue_()

    page.route("**/agents/new/", hold)
    return posts


def test_a_second_press_while_the_answer_is_awaited_sends_nothing(page: Page, person: User) -> None:
    sign_in(page, person)
    page.goto("/agents/new/")
    page.get_by_label("Name").fill("Sawmills")
    page.get_by_label("Keywords").fill("oak")
    posts = slow_posts_of(page)
    button = page.get_by_role("button", name="Create search agent")
    button.evaluate("b => { b.click(); setTimeout(() => b.click(), 100); }")
    expect(page.get_by_role("heading", name="Sawmills")).to_be_visible()
    assert len(posts) == 1
    assert ScheduledMailReport.objects.filter(name="Sawmills").count() == 1


def test_the_enter_key_held_down_sends_a_form_once(page: Page, person: User) -> None:
    sign_in(page, person)
    page.goto("/agents/new/")
    page.get_by_label("Name").fill("Sawmills")
    page.get_by_label("Keywords").fill("oak")
    posts = slow_posts_of(page)
    form = page.locator("main form")
    form.evaluate("f => { f.requestSubmit(); setTimeout(() => f.requestSubmit(), 100); }")
    expect(page.get_by_role("heading", name="Sawmills")).to_be_visible()
    assert len(posts) == 1


def test_the_pressed_button_still_says_what_it_means(page: Page, person: User) -> None:
    sign_in(page, person)
    switch = page.get_by_role("switch")
    expect(switch).to_be_checked()
    switch.click()
    expect(switch).not_to_be_checked()
    expect(switch).to_be_enabled()
    assert not ScheduledMailReport.objects.get(user=person).is_active


def test_after_going_back_the_form_can_be_sent_again(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto("/companies/")
    button = page.locator(".ml-filters button[type=submit]").first
    page.get_by_label("Keywords").fill("oak")
    button.click()
    page.wait_for_url("**keywords=oak**")
    page.go_back()
    expect(button).to_be_enabled()
    page.get_by_label("Keywords").fill("beech")
    button.click()
    page.wait_for_url("**keywords=beech**")


def test_a_submission_that_is_called_off_leaves_the_button(page: Page) -> None:
    page.goto("/accounts/login/")
    page.evaluate(
        "document.querySelector('main form').addEventListener('submit', e => e.preventDefault())"
    )
    page.get_by_label("Email").fill("mia@example.com")
    page.get_by_label("Password").fill(PASSWORD)
    button = page.get_by_role("main").get_by_role("button", name="Sign In")
    button.click()
    page.wait_for_timeout(100)
    expect(button).to_be_enabled()
