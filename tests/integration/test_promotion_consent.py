"""Consent to promotions: off by default, given for one channel alone, the proof kept for good."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from pytest_django import Settings

from marketplace.account_data import AccountKeeper
from marketplace.consent import (
    Channel,
    PromotionConsent,
    Wording,
    give_consent,
    withdraw_consent,
)
from marketplace.models import User
from tests.factories.people import UserFactory

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
YES = Wording("Yes, please.", "en")
PAGE = "/account/promotions/"


@pytest.fixture
def person() -> User:
    return UserFactory.create(email="mia@example.com", language="en")


@pytest.fixture
def browser(client: Client, person: User) -> Client:
    client.force_login(person)
    return client


def rows() -> list[tuple[object, ...]]:
    fields = ("channel", "wording", "language", "given_at", "withdrawn_at")
    return list(PromotionConsent.objects.order_by("pk").values_list(*fields))


def switch(page: str, channel: str) -> dict[str, str]:
    """What the form of this channel would post."""
    forms = re.findall(r'<form method="post">(.*?)</form>', page, re.S)
    fields = [dict(re.findall(r'name="(\w+)" value="([^"]*)"', form)) for form in forms]
    return next(each for each in fields if each.get("channel") == channel)


def test_what_is_agreed_to_first_stays_the_proof(person: User) -> None:
    first = give_consent(person, Channel.EMAIL, YES, NOW)
    again = give_consent(person, Channel.EMAIL, Wording("Ja.", "de"), NOW + timedelta(days=1))
    assert again == first
    assert rows() == [("email", "Yes, please.", "en", NOW, None)]


def test_withdrawing_ends_one_channel_once_and_erases_nothing(person: User) -> None:
    for channel in (Channel.EMAIL, Channel.SMS):
        give_consent(person, channel, YES, NOW)
    later = NOW + timedelta(hours=1)
    assert withdraw_consent(person, Channel.EMAIL, later)
    assert not withdraw_consent(person, Channel.EMAIL, later + timedelta(hours=1))
    assert rows() == [
        ("email", "Yes, please.", "en", NOW, later),
        ("sms", "Yes, please.", "en", NOW, None),
    ]
    assert PromotionConsent.objects.in_force().get().channel == "sms"


def test_each_time_it_is_given_is_a_row_of_its_own(person: User) -> None:
    times = [NOW + timedelta(days=day) for day in range(3)]
    give_consent(person, Channel.PUSH, YES, times[0])
    withdraw_consent(person, Channel.PUSH, times[1])
    give_consent(person, Channel.PUSH, Wording("Da.", "hr"), times[2])
    assert rows() == [
        ("push", "Yes, please.", "en", times[0], times[1]),
        ("push", "Da.", "hr", times[2], None),
    ]


def test_nothing_is_withdrawn_before_it_was_given(person: User) -> None:
    give_consent(person, Channel.EMAIL, YES, NOW)
    withdraw_consent(person, Channel.EMAIL, NOW - timedelta(seconds=2))
    assert rows() == [("email", "Yes, please.", "en", NOW, NOW)]


@pytest.mark.parametrize(
    ("changes", "constraint"),
    [
        ({}, "once_in_force"),
        ({"channel": "fax"}, "channel_known"),
        ({"channel": "sms", "wording": ""}, "has_wording"),
        ({"channel": "sms", "language": ""}, "has_wording"),
        ({"channel": "sms", "withdrawn_at": NOW - timedelta(1)}, "withdrawn_after_given"),
    ],
)
def test_the_schema_itself_refuses(
    person: User, changes: dict[str, object], constraint: str
) -> None:
    give_consent(person, Channel.EMAIL, YES, NOW)
    values: dict[str, object] = {
        "channel": "email", "wording": "W", "language": "en", "given_at": NOW, **changes,
    }  # fmt: skip
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        PromotionConsent.objects.create(user=person, **values)


def test_the_page_asks_first_and_stores_the_very_words_it_showed(
    browser: Client, settings: Settings
) -> None:
    settings.OPERATOR_NAME = "Marktlotse & Co"
    page = browser.get(PAGE).content.decode()
    assert [switch(page, channel)["wanted"] for channel in Channel.values] == ["on"] * 3
    assert PromotionConsent.objects.count() == 0
    for _ in range(2):
        assert browser.post(PAGE, switch(page, "email")).status_code == 302
    [(channel, wording, language, _given_at, withdrawn_at)] = rows()
    assert (channel, language, withdrawn_at) == ("email", "en", None)
    assert str(wording).startswith("Yes, Marktlotse & Co may send me news and offers by e-mail.")
    page = browser.get(PAGE).content.decode()
    assert "Yes, Marktlotse &amp; Co may send me" in page
    assert "you have agreed to:" in page
    assert [switch(page, channel)["wanted"] for channel in Channel.values] == ["off", "on", "on"]


def test_switching_off_twice_is_as_once(browser: Client, person: User) -> None:
    give_consent(person, Channel.EMAIL, YES, NOW)
    page = browser.get(PAGE).content.decode()
    assert "Yes, please." in page
    for _ in range(2):
        assert browser.post(PAGE, switch(page, "email")).status_code == 302
    consent = PromotionConsent.objects.get()
    assert consent.withdrawn_at is not None


def test_words_that_changed_since_are_shown_again_before_they_count(
    browser: Client, settings: Settings
) -> None:
    fields = switch(browser.get(PAGE).content.decode(), "sms")
    settings.OPERATOR_NAME = "Somebody else"
    response = browser.post(PAGE, fields)
    assert response.status_code == 400
    assert "The text has changed." in response.content.decode()
    assert "Yes, Somebody else may send me" in response.content.decode()
    assert rows() == []


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"channel": "fax", "wanted": "on"},
        {"channel": "email\x00", "wanted": "on"},
        {"channel": "email", "wanted": "perhaps"},
        {"channel": "email", "wanted": "on", "language": "xx", "shown": "\x00"},
        {"channel": "email", "wanted": "on", "language": "en", "shown": "0" * 10_000},
    ],
)
def test_hostile_input_changes_nothing(browser: Client, fields: dict[str, str]) -> None:
    assert browser.post(PAGE, fields).status_code == 400
    assert rows() == []


def test_guests_are_asked_to_sign_in(client: Client) -> None:
    for response in (client.get(PAGE), client.post(PAGE, {"channel": "email", "wanted": "on"})):
        assert response.status_code == 302
        assert "/login/" in response["Location"]


def test_the_account_pages_lead_there(browser: Client) -> None:
    assert browser.get("/account/").content.decode().count(f'href="{PAGE}"') == 2


def test_the_export_holds_the_history_of_this_person_alone(person: User) -> None:
    give_consent(UserFactory.create(), Channel.EMAIL, YES, NOW)
    give_consent(person, Channel.SMS, YES, NOW)
    assert list(AccountKeeper().export(person)["promotion_consents"]) == [
        {"channel": "sms", "wording": "Yes, please.", "language": "en", "given_at": NOW,
         "withdrawn_at": None},
    ]  # fmt: skip


def test_the_admin_shows_consents_and_edits_none(admin_client: Client, person: User) -> None:
    consent = give_consent(person, Channel.EMAIL, YES, NOW)
    base = "/admin/marketplace/promotionconsent/"
    assert "mia@example.com" in admin_client.get(base).content.decode()
    assert admin_client.get(f"{base}{consent.pk}/change/").status_code == 200
    for path in ("add/", f"{consent.pk}/delete/"):
        assert admin_client.post(base + path).status_code == 403
    assert admin_client.post(f"{base}{consent.pk}/change/", {"wording": "x"}).status_code == 403
    assert rows() == [("email", "Yes, please.", "en", NOW, None)]
