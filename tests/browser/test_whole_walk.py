"""The whole story as a person lives it: from the sign-up form to the agent that is switched off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from pytest_django import Settings

from agents.models import ScheduledMailReport
from notifications.models import Delivery
from tests.browser.test_pages import PASSWORD
from tests.browser.walking import (
    DESKTOP,
    PHONE,
    Walk,
    language_of,
    links_in,
    newest_mail,
    unsubscribe_by_one_click,
)
from tests.firing import fire, publish
from tests.limits import set_limits

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Words:
    """What the site and its mails say on the way."""

    language: str
    sign_up: str
    confirm_subject: str
    confirm_link: str
    confirm: str
    welcome_subject: str
    search_heading: str
    save_search: str
    new_heading: str
    create: str
    created: str
    edit_heading: str
    edit: str
    two_match: str
    one_matches: str
    save: str
    digest_subject: str
    view_all: str
    history: str
    sent: str
    waited: str
    none_while_off: str


ENGLISH = Words(
    language="en",
    sign_up="Sign Up",
    confirm_subject="Please confirm your e-mail address",
    confirm_link="Confirm the address",
    confirm="Confirm",
    welcome_subject="Welcome to Marktlotse",
    search_heading="Companies for sale",
    save_search="Mail me what is new in this search",
    new_heading="New search agent",
    create="Create search agent",
    created="My search agents",
    edit_heading="Edit search agent",
    edit="Edit",
    two_match="2 companies match now.",
    one_matches="1 company matches now.",
    save="Save changes",
    digest_subject="1 new company for “Oak”",
    view_all="View all 2 more matches",
    history="History",
    sent="sent",
    waited="2 more matches waited",
    none_while_off="none while switched off",
)
GERMAN = Words(
    language="de",
    sign_up="Registrieren",
    confirm_subject="Bitte bestätigen Sie Ihre E-Mail-Adresse",
    confirm_link="Adresse bestätigen",
    confirm="Bestätigen",
    welcome_subject="Willkommen bei Marktlotse",
    search_heading="Unternehmen zum Verkauf",
    save_search="Neues aus dieser Suche per Mail erhalten",
    new_heading="Neuer Suchagent",
    create="Suchagenten anlegen",
    created="Meine Suchagenten",
    edit_heading="Suchagenten bearbeiten",
    edit="Bearbeiten",
    two_match="2 Unternehmen passen zurzeit.",
    one_matches="1 Unternehmen passt zurzeit.",
    save="Änderungen speichern",
    digest_subject="1 neues Unternehmen für „Oak“",
    view_all="Alle 2 weiteren Treffer ansehen",
    history="Verlauf",
    sent="gesendet",
    waited="2 weitere Treffer warteten",
    none_while_off="keine, solange ausgeschaltet",
)


@pytest.fixture(params=[("en-GB", DESKTOP, ENGLISH), ("de-DE", PHONE, GERMAN)], ids=["en", "de"])
def way(
    request: pytest.FixtureRequest, chromium: Browser, live_server: object, settings: Settings
) -> Iterator[tuple[Walk, Words]]:
    """A guest's browser, English at a desk or German on a phone; mail goes by the real ledger."""
    settings.EMAIL_BACKEND = "notifications.email_backend.LedgerEmailBackend"
    settings.SITE_URL = str(live_server)
    locale, screen, words = request.param
    options: dict[str, Any] = {"reduced_motion": "reduce", "base_url": str(live_server), **screen}
    with chromium.new_context(locale=locale, **options) as context:
        yield Walk(context.new_page(), words.language), words


def sign_up(walk: Walk, words: Words) -> None:
    walk.open("/accounts/signup/")
    walk.page.locator("[name=email]").fill("mia@example.com")
    walk.page.locator("[name=password1]").fill(PASSWORD)
    walk.page.locator("[name=password2]").fill(PASSWORD)
    walk.press(words.sign_up)
    mail = newest_mail()
    assert (mail["To"], mail["Subject"]) == ("mia@example.com", words.confirm_subject)
    assert language_of(mail) == words.language
    walk.open(links_in(mail)[words.confirm_link])
    walk.press(words.confirm)


def read_the_welcome(walk: Walk, words: Words) -> None:
    mail = newest_mail()
    assert (mail["Subject"], language_of(mail)) == (words.welcome_subject, words.language)
    walk.open(links_in(mail)["Oak mill"])
    expect(walk.page.get_by_role("heading", level=1)).to_have_text("Oak mill")


def sign_in(walk: Walk, words: Words) -> None:
    walk.open("/accounts/login/")
    walk.page.locator("[name=login]").fill("mia@example.com")
    walk.page.locator("[name=password]").fill(PASSWORD)
    walk.page.locator("[name=password]").press("Enter")
    expect(walk.page.get_by_role("heading", level=1)).to_have_text(words.created)
    walk.look()


def save_a_search(walk: Walk, words: Words) -> None:
    walk.open("/companies/?keywords=mill")
    heading = walk.page.get_by_role("heading", level=1)
    expect(heading).to_have_text(words.search_heading)
    walk.press(words.save_search, role="link")
    expect(heading).to_have_text(words.new_heading)
    walk.page.locator("[name=name]").fill("Mills")
    walk.page.locator("[name=frequency]").select_option("daily")
    walk.press(words.create)
    expect(walk.page.get_by_role("heading", name="Mills")).to_be_visible()


def narrow_it(walk: Walk, words: Words) -> None:
    card = walk.page.get_by_role("article", name="Mills")
    card.get_by_role("link", name=words.edit).click()
    expect(walk.page.get_by_role("heading", level=1)).to_have_text(words.edit_heading)
    preview = walk.page.locator("#preview")
    expect(preview).to_contain_text(words.two_match)
    walk.page.locator("[name=keywords]").fill("")
    walk.page.locator("[name=keywords]").press_sequentially("oak", delay=20)
    expect(preview).to_contain_text(words.one_matches)
    walk.page.locator("[name=name]").fill("Oak")
    walk.look()
    walk.press(words.save)
    expect(walk.page.get_by_role("article", name="Oak")).to_be_visible()


def read_the_digest(walk: Walk, words: Words) -> None:
    set_limits(max_companies=1)
    for title in ("Oak yard", "Oak wood", "Oak works", "Beech yard"):
        publish(title, minutes_ago=0)
    fire(at=datetime.now(UTC) + DAY)
    mail = newest_mail()
    links = links_in(mail)
    assert (mail["Subject"], language_of(mail)) == (words.digest_subject, words.language)
    assert [title for title in links if title.endswith(("yard", "wood", "works"))] == ["Oak works"]
    walk.open(links["Oak works"])
    expect(walk.page.get_by_role("heading", level=1)).to_have_text("Oak works")
    walk.open(links[words.view_all])
    assert walk.page.locator(".ml-company-title").all_inner_texts() == ["Oak wood", "Oak yard"]


def look_back(walk: Walk, words: Words) -> None:
    walk.open("/agents/")
    walk.page.get_by_role("article", name="Oak").get_by_role("link", name=words.history).click()
    entry = walk.page.locator(".ml-mail")
    expect(entry).to_have_count(1)
    expect(entry.locator(".ml-badge")).to_have_text(words.sent)
    expect(entry.get_by_role("link", name="Oak works")).to_be_visible()
    expect(entry.get_by_role("link", name=words.waited)).to_be_visible()
    walk.look()


def unsubscribe(walk: Walk, words: Words) -> None:
    assert unsubscribe_by_one_click(newest_mail()) == 200
    walk.open("/agents/")
    card = walk.page.get_by_role("article", name="Oak")
    expect(card.get_by_role("switch", name="Oak")).not_to_be_checked()
    expect(card.get_by_text(words.none_while_off)).to_be_visible()


def test_from_signing_up_to_unsubscribing(way: tuple[Walk, Words]) -> None:
    walk, words = way
    publish("Beech mill", "Oak mill", minutes_ago=60)
    for step in (
        sign_up,
        read_the_welcome,
        sign_in,
        save_a_search,
        narrow_it,
        read_the_digest,
        look_back,
        unsubscribe,
    ):
        step(walk, words)
    assert walk.problems == []
    assert len(walk.seen) >= 14
    kinds = list(Delivery.objects.order_by("pk").values_list("kind", "state"))
    assert kinds == [("account", "sent"), ("welcome", "sent"), ("digest", "sent")]
    assert not ScheduledMailReport.objects.get(name="Oak").is_active
