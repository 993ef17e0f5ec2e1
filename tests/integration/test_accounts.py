"""Signing up, in and out on pages of our design."""

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from pytest_django import Settings

from marketplace.models import User
from tests.factories import UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_rate_limits")]
PASSWORD = "a long quiet harbour 7"


@pytest.mark.parametrize(
    "url",
    [
        "/accounts/login/",
        "/accounts/signup/",
        "/accounts/password/reset/",
        "/accounts/password/reset/done/",
        "/accounts/confirm-email/",
        "/accounts/confirm-email/not-a-key/",
        "/accounts/password/reset/key/1-broken/",
        "/accounts/inactive/",
    ],
)
def test_pages_for_guests_wear_our_design(client: Client, url: str) -> None:
    response = client.get(url)
    assert response.status_code == 200
    html = response.content.decode()
    assert "ml-header" in html
    assert "ml-entrance" in html


@pytest.mark.parametrize(
    "url", ["/accounts/email/", "/accounts/password/change/", "/accounts/logout/"]
)
def test_pages_for_members_wear_our_design(client: Client, url: str) -> None:
    person = UserFactory.create()
    person.set_password(PASSWORD)
    person.save()
    client.force_login(person)
    html = client.get(url).content.decode()
    assert "ml-entrance" in html


def test_signing_up_stores_an_unconfirmed_person_in_the_language_of_the_page(
    client: Client,
) -> None:
    client.cookies["django_language"] = "hr"
    response = client.post(
        "/accounts/signup/",
        {"email": "New.Person@Example.com", "password1": PASSWORD, "password2": PASSWORD},
    )
    assert response["Location"] == "/accounts/confirm-email/"
    person = User.objects.get(email__iexact="new.person@example.com")
    assert person.language == "hr"
    address = EmailAddress.objects.get(user=person)
    assert (address.email.lower(), address.verified) == ("new.person@example.com", False)


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"email": "nonsense"}, "email"),
        ({"email": ""}, "email"),
        ({"email": "a\x00@example.com"}, "email"),
        ({"password1": "123", "password2": "123"}, "password1"),
        ({"password2": "another"}, "password2"),
    ],
)
def test_a_wrong_sign_up_says_so_at_the_field(
    client: Client, values: dict[str, str], field: str
) -> None:
    form = {"email": "new@example.com", "password1": PASSWORD, "password2": PASSWORD, **values}
    response = client.post("/accounts/signup/", form)
    assert response.status_code == 200
    assert field in response.context["form"].errors
    assert f'id="id_{field}_error"' in response.content.decode()
    assert not User.objects.exists()


def test_signing_in_leads_to_the_agents_and_out_to_the_start(client: Client) -> None:
    person = UserFactory.create()
    person.set_password(PASSWORD)
    person.save()
    response = client.post(
        "/accounts/login/", {"login": person.email.upper(), "password": PASSWORD}
    )
    assert response["Location"] == "/agents/"
    assert client.post("/accounts/logout/")["Location"] == "/"
    assert client.get("/agents/").status_code == 302


def test_a_wrong_password_is_refused(client: Client) -> None:
    person = UserFactory.create()
    response = client.post("/accounts/login/", {"login": person.email, "password": "wrong"})
    assert response.status_code == 200
    assert response.context["form"].errors


def test_too_many_attempts_are_told_in_our_design(client: Client) -> None:
    form = {"email": "new@example.com", "password1": "1", "password2": "1"}
    answers = [client.post("/accounts/signup/", form) for _ in range(40)]
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert "Too many attempts" in refused.content.decode()


def test_signing_up_again_says_truly_what_comes_and_not_who_is_known(client: Client) -> None:
    form = {"password1": PASSWORD, "password2": PASSWORD}
    pages = []
    for email in ("new@example.com", "new@example.com", "other@example.com"):
        answer = client.post("/accounts/signup/", {"email": email, **form}, follow=True)
        assert answer.redirect_chain[-1][0] == "/accounts/confirm-email/"
        pages.append(answer.content.decode())
        Client().logout()
        client.logout()
    assert len(mail.outbox) == 2
    told = "We send at most one such mail to an address in three minutes."
    assert [told in page for page in pages] == [True, True, True]


@pytest.mark.parametrize(
    "path",
    ["/accounts/password/reset/", "/accounts/password/reset/done/", "/accounts/confirm-email/"],
)
def test_whoever_needs_help_gets_an_address(client: Client, settings: Settings, path: str) -> None:
    settings.OPERATOR_EMAIL = "help@operator.example"
    assert 'href="mailto:help@operator.example"' in client.get(path).content.decode()
