"""Which language a page speaks: the account's, else the one chosen, else the browser's."""

import pytest
from django.test import Client

from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def language_of(client: Client, accept: str = "en") -> str:
    html = client.get("/", headers={"accept-language": accept}).content.decode()
    return html.partition('<html lang="')[2][:2]


@pytest.mark.parametrize(("accept", "expected"), [("de-AT,de", "de"), ("hr", "hr"), ("fr", "en")])
def test_guests_get_the_browsers_language(client: Client, accept: str, expected: str) -> None:
    assert language_of(client, accept) == expected


def test_a_guests_choice_beats_the_browser(client: Client) -> None:
    response = client.post("/i18n/setlang/", {"language": "hr", "next": "/companies/?regions=DE"})
    assert response["Location"] == "/companies/?regions=DE"
    assert language_of(client, "de") == "hr"


def test_the_accounts_language_beats_the_browser(client: Client) -> None:
    client.force_login(UserFactory.create(language="hr"))
    assert language_of(client, "de") == "hr"


def test_the_switch_of_a_signed_in_person_is_kept_in_the_account(client: Client) -> None:
    person = UserFactory.create(language="en")
    client.force_login(person)
    client.post("/i18n/setlang/", {"language": "de"})
    person.refresh_from_db()
    assert person.language == "de"
    assert language_of(client) == "de"


@pytest.mark.parametrize("language", ["xx", "", "de\x00", "en-GB", "a" * 900])
def test_an_unknown_language_changes_nothing(client: Client, language: str) -> None:
    person = UserFactory.create(language="hr")
    client.force_login(person)
    assert client.post("/i18n/setlang/", {"language": language}).status_code == 302
    person.refresh_from_db()
    assert person.language == "hr"


def test_the_switch_sends_nobody_to_another_site(client: Client) -> None:
    response = client.post("/i18n/setlang/", {"language": "de", "next": "https://evil.example/"})
    assert response["Location"] == "/"


def test_a_link_does_not_switch(client: Client) -> None:
    assert client.get("/i18n/setlang/?language=de").status_code == 405
