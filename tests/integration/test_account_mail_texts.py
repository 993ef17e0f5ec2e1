"""The mails about an account: in the person's language, our design, with links to our site."""

import re
from email.utils import parseaddr

import pytest
from allauth.account.adapter import get_adapter
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.test import Client, RequestFactory
from pytest_django import Settings

from marketplace.adapter import AccountAdapter
from tests.factories import UserFactory
from tests.signing_in import sign_in_just_now

pytestmark = pytest.mark.django_db
PASSWORD = "a long quiet harbour 7"
SUBJECTS = {
    "sign up": {
        "en": "Please confirm your e-mail address",
        "de": "Bitte bestätigen Sie Ihre E-Mail-Adresse",
        "hr": "Potvrdite svoju e-adresu",
    },
    "new address": {
        "en": "Please confirm your e-mail address",
        "de": "Bitte bestätigen Sie Ihre E-Mail-Adresse",
        "hr": "Potvrdite svoju e-adresu",
    },
    "sign up again": {
        "en": "You already have an account",
        "de": "Sie haben bereits ein Konto",
        "hr": "Već imate račun",
    },
    "forgotten": {
        "en": "Choose a new password",
        "de": "Neues Passwort wählen",
        "hr": "Odaberite novu lozinku",
    },
    "unknown": {
        "en": "There is no account with this address",
        "de": "Zu dieser Adresse gibt es kein Konto",
        "hr": "Ne postoji račun s ovom adresom",
    },
}


@pytest.fixture(autouse=True)
def _site(settings: Settings, request: pytest.FixtureRequest) -> None:
    """The site has an address of its own; attempts of other tests do not count here."""
    backend = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": request.node.name}}
    settings.SITE_URL = "https://marktlotse.example"
    settings.OPERATOR_NAME, settings.OPERATOR_ADDRESS = "Lotse GmbH", "Kai 1, Hamburg"


def provoked(client: Client, cause: str, language: str) -> EmailMultiAlternatives:
    """The one mail that a person of this language gets; the page may be in another."""
    address = "new@example.com"
    client.cookies["django_language"] = language
    if cause in ("sign up again", "forgotten", "new address"):
        person = UserFactory.create(language=language)
        address = person.email
        client.cookies["django_language"] = "de" if language == "hr" else "hr"
    if cause == "forgotten" or cause == "unknown":
        client.post("/accounts/password/reset/", {"email": address})
    elif cause == "new address":
        sign_in_just_now(client, person)
        address = "new@example.com"
        client.post("/accounts/email/", {"action_add": "", "email": address})
    else:
        form = {"email": address, "password1": PASSWORD, "password2": PASSWORD}
        client.post("/accounts/signup/", form)
    [message] = mail.outbox
    assert isinstance(message, EmailMultiAlternatives)
    assert message.to == [address]
    return message


def parts_of(message: EmailMultiAlternatives) -> tuple[str, str]:
    """The text and the HTML."""
    [(html, kind)] = message.alternatives
    assert kind == "text/html"
    return str(message.body), str(html)


@pytest.mark.parametrize("language", ["en", "de", "hr"])
@pytest.mark.parametrize("cause", SUBJECTS)
def test_an_account_mail_speaks_the_persons_language_and_names_us_not_the_host(
    client: Client, cause: str, language: str
) -> None:
    message = provoked(client, cause, language)
    text, html = parts_of(message)
    assert message.subject == SUBJECTS[cause][language]
    assert f'<html lang="{language}">' in html
    assert "Marktlotse" in text
    for part in (text, html):
        assert SUBJECTS[cause][language] in part
        assert "Lotse GmbH, Kai 1, Hamburg" in part
        assert "testserver" not in part
        assert "127.0.0.1" not in part
    links = set(re.findall(r"https?://[^\s\"<]+", text))
    legal = {f"https://marktlotse.example/{page}/" for page in ("imprint", "privacy", "terms")}
    assert legal < links < set(re.findall(r'href="([^"]+)"', html))
    [link] = links - legal
    assert link.startswith("https://marktlotse.example/accounts/")


def test_the_link_of_a_confirmation_confirms(client: Client) -> None:
    message = provoked(client, "sign up", "de")
    [link] = re.findall(r"https://marktlotse\.example(/accounts/\S+)", str(message.body))
    assert client.post(link)["Location"] == "/accounts/login/"


def test_the_link_to_a_new_password_opens_its_form(client: Client) -> None:
    message = provoked(client, "forgotten", "hr")
    [link] = re.findall(r"https://marktlotse\.example(/accounts/\S+)", str(message.body))
    page = client.get(link, follow=True)
    assert "password1" in page.context["form"].fields


def test_an_odd_address_is_shown_as_text(client: Client) -> None:
    address = "a&b'c@example.com"
    client.post("/accounts/password/reset/", {"email": address})
    [message] = mail.outbox
    assert isinstance(message, EmailMultiAlternatives)
    assert address in str(message.body)
    assert "a&amp;b&#x27;c@example.com" in parts_of(message)[1]
    assert parseaddr(message.to[0])[1] == address


def test_mails_we_have_no_words_for_name_the_product(rf: RequestFactory) -> None:
    adapter = get_adapter(rf.get("/"))
    assert isinstance(adapter, AccountAdapter)
    context = {"code": "ABC", "request": rf.get("/")}
    message = adapter.render_mail("account/email/password_reset_code", "ana@example.com", context)
    assert message.subject == "Password Reset Code"
    assert "Hello from Marktlotse!" in str(message.body)
    assert "testserver" not in str(message.body)
