"""The account's pages in a real browser: to be used by everybody, and to be left for good."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from marketplace.models import User
from tests.browser.test_pages import PASSWORD, serious_problems, sign_in
from tests.factories import UserFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def person() -> User:
    user = UserFactory.create(email="mia@example.com", name="Mia Muster", is_staff=True)
    user.set_password(PASSWORD)
    user.save()
    return user


def enter_password_again(page: Page) -> None:
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button").first.click()


def test_nothing_serious_keeps_anybody_out(page: Page, person: User, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    found = {}
    for url in ("/imprint/", "/privacy/", "/accounts/login/code/", "/account/deleted/"):
        page.goto(url)
        found[url] = serious_problems(page)
    sign_in(page, person)
    page.goto("/account/delete/")
    found["again"] = serious_problems(page)
    enter_password_again(page)
    for url in (
        "/account/",
        "/account/delete/",
        "/account/promotions/",
        "/accounts/email/",
        "/accounts/2fa/",
        "/accounts/2fa/totp/activate/",
        "/accounts/sessions/",
        "/staff/mails/",
        "/staff/mails/password-reset-key/en/",
    ):
        page.goto(url)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        found[url] = serious_problems(page)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390, url
    assert {url: problems for url, problems in found.items() if problems} == {}


def test_from_the_account_to_its_end(page: Page, person: User) -> None:
    sign_in(page, person)
    page.locator("summary", has_text="Mia").click()
    page.get_by_role("link", name="My account").click()
    page.get_by_role("link", name="Delete my account").click()
    enter_password_again(page)
    page.get_by_label("Your e-mail address").fill("somebody@example.com")
    page.get_by_role("button", name="Delete my account for good").click()
    expect(page.get_by_text("This is not the address of your account.")).to_be_visible()
    assert User.objects.count() == 1
    page.get_by_label("Your e-mail address").fill("mia@example.com")
    page.get_by_role("button", name="Delete my account for good").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Goodbye")
    assert not User.objects.exists()


def test_a_mail_shows_in_its_frame(page: Page, person: User) -> None:
    sign_in(page, person)
    page.goto("/staff/mails/password-reset-key/en/")
    frame = page.frame_locator("iframe")
    expect(frame.get_by_role("heading", level=1)).to_have_text("Choose a new password")


def test_promotions_are_switches_that_say_whether_they_are_on(page: Page, person: User) -> None:
    sign_in(page, person)
    page.goto("/account/promotions/")
    by_mail = page.get_by_role("switch", name="E-mail")
    expect(by_mail).not_to_be_checked()
    by_mail.click()
    expect(by_mail).to_be_checked()
    expect(page.get_by_role("switch", name="SMS")).not_to_be_checked()
    assert serious_problems(page) == []


def test_staff_choose_mails_by_their_names(page: Page, person: User) -> None:
    sign_in(page, person)
    page.goto("/staff/mails/")
    page.get_by_role("link", name="Choose a new password: English").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Choose a new password")
