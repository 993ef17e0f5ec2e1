"""The page of tokens: made once, shown once, stored as a hash, revoked for good."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from marketplace.models import User
from marketplace.personal_tokens import (
    MOST_PER_PERSON,
    PersonalToken,
    UnableToAddToken,
    make_token,
    use_token,
)
from tests.factories import UserFactory
from tests.signing_in import sign_in_just_now

pytestmark = pytest.mark.django_db
URL = "/account/tokens/"
NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
MONTH = timedelta(days=30)


@pytest.fixture
def person() -> User:
    return UserFactory.create(language="en")


@pytest.fixture
def browser(person: User) -> Client:
    """Somebody who proved just now who they are."""
    client = Client()
    sign_in_just_now(client, person)
    return client


def test_a_token_is_shown_once_and_only_its_hash_is_kept(browser: Client, person: User) -> None:
    page = browser.post(URL, {"name": "Our sheet", "lasts": "30"})
    found = re.search(r"mlt_[\w-]{43}", page.content.decode())
    assert found
    assert "no-store" in page["Cache-Control"]
    token = PersonalToken.objects.get(user=person)
    stored = PersonalToken.objects.filter(pk=token.pk).values().get()
    assert found[0] not in str(stored)
    assert (token.name, token.prefix) == ("Our sheet", found[0][:10])
    assert token.expires_at - token.created_at == MONTH
    again = browser.get(URL).content.decode()
    assert found[0] not in again
    assert token.prefix in again
    used = use_token(found[0], timezone.now())
    assert used is not None
    assert used.user == person


def test_sent_twice_the_form_makes_one(browser: Client) -> None:
    for _ in range(2):
        page = browser.post(URL, {"name": "Our sheet", "lasts": "30"}).content.decode()
    assert PersonalToken.objects.count() == 1
    assert "You already have a token of this name" in page


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"name": "", "lasts": "30"}, "This field is required"),
        ({"name": "a\0b", "lasts": "30"}, "Null characters are not allowed"),
        ({"name": "a", "lasts": "31"}, "Select a valid choice"),
        ({"name": "a" * 101, "lasts": "30"}, "at most 100 characters"),
    ],
)
def test_what_is_wrong_is_said_at_the_field(
    browser: Client, fields: dict[str, str], said: str
) -> None:
    assert said in browser.post(URL, fields).content.decode()
    assert not PersonalToken.objects.exists()


def test_revoking_is_for_ones_own_and_for_good(browser: Client, person: User) -> None:
    mine, secret = make_token(person.pk, name="Mine", lasts=MONTH, now=timezone.now())
    other, _ = make_token(UserFactory.create().pk, name="X", lasts=MONTH, now=timezone.now())
    assert browser.post(f"{URL}{other.pk}/revoke/").status_code == 404
    assert browser.get(f"{URL}{mine.pk}/revoke/").status_code == 405
    for _ in range(2):
        assert browser.post(f"{URL}{mine.pk}/revoke/").status_code == 302
    assert use_token(secret, timezone.now()) is None
    other.refresh_from_db()
    assert other.revoked_at is None


def test_guests_are_asked_to_sign_in_and_old_sessions_for_the_password(browser: Client) -> None:
    assert Client().get(URL)["Location"] == f"/accounts/login/?next={URL}"
    with time_machine.travel(datetime.now(UTC) + timedelta(hours=1)):
        asked = browser.post(URL, {"name": "Our sheet", "lasts": "30"})
    assert asked["Location"].startswith("/accounts/reauthenticate/")
    assert not PersonalToken.objects.exists()


def test_use_is_noted_by_the_minute(person: User) -> None:
    token, secret = make_token(person.pk, name="x", lasts=MONTH, now=NOW)
    uses = [NOW, NOW + timedelta(seconds=59), NOW + timedelta(seconds=60)]
    noted = []
    for use in uses:
        use_token(secret, use)
        token.refresh_from_db()
        noted.append(token.last_used_at)
    assert noted == [uses[0], uses[0], uses[2]]
    assert use_token(secret, NOW + MONTH) is None


def test_there_is_a_most_and_a_revoked_one_makes_room(person: User) -> None:
    tokens = [
        make_token(person.pk, name=str(n), lasts=MONTH, now=NOW)[0] for n in range(MOST_PER_PERSON)
    ]
    with pytest.raises(UnableToAddToken, match="You have 20 tokens"):
        make_token(person.pk, name="one more", lasts=MONTH, now=NOW)
    tokens[0].revoked_at = NOW
    tokens[0].save()
    make_token(person.pk, name="0", lasts=MONTH, now=NOW)
