"""Other ways in: a mailed code, a second factor; and how an address is changed safely."""

import re

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.core import mail
from django.test import Client
from pytest_django import Settings

from marketplace.models import User
from tests.factories import UserFactory
from tests.signing_in import sign_in_just_now

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_rate_limits")]
PASSWORD = "a long quiet harbour 7"


@pytest.fixture
def person() -> User:
    user = UserFactory.create(email="mia@example.com", language="en")
    user.set_password(PASSWORD)
    user.save()
    return user


def present_code(secret: str) -> str:
    return str(format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time())))))


def is_signed_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


def test_a_mailed_code_signs_in(client: Client, person: User) -> None:
    response = client.post("/accounts/login/code/", {"email": "mia@example.com"})
    assert response["Location"] == "/accounts/login/code/confirm/"
    [message] = mail.outbox
    assert message.subject == "Your code for signing in"
    code = re.findall(r"^([A-Z0-9-]{6,})$", str(message.body), re.MULTILINE)
    assert not is_signed_in(client)
    client.post("/accounts/login/code/confirm/", {"code": code[0]})
    assert is_signed_in(client)


def test_a_wrong_code_does_not(client: Client, person: User) -> None:
    client.post("/accounts/login/code/", {"email": "mia@example.com"})
    response = client.post("/accounts/login/code/confirm/", {"code": "WRONG-ONE"})
    assert list(response.context["form"].errors) == ["code"]
    assert not is_signed_in(client)


def test_an_unknown_address_looks_the_same(client: Client, person: User) -> None:
    known = client.post("/accounts/login/code/", {"email": "mia@example.com"})
    unknown = Client().post("/accounts/login/code/", {"email": "nobody@example.com"})
    assert (known.status_code, known["Location"]) == (unknown.status_code, unknown["Location"])
    assert [message.to for message in mail.outbox] == [["mia@example.com"], ["nobody@example.com"]]


@pytest.mark.django_db(transaction=True)
def test_two_factors_are_set_up_told_of_and_asked_for(client: Client, person: User) -> None:
    sign_in_just_now(client, person)
    page = client.get("/accounts/2fa/totp/activate/")
    secret = page.context["form"].secret
    assert page.content.decode().count(secret) == 1
    client.post("/accounts/2fa/totp/activate/", {"code": present_code(secret)})
    assert Authenticator.objects.filter(user=person).count() == 2  # with the recovery codes
    assert "Two-factor sign-in is on" in [message.subject for message in mail.outbox]
    assert secret not in str(Authenticator.objects.values_list("data", flat=True)[0])

    stranger = Client()
    form = {"login": person.email, "password": PASSWORD}
    response = stranger.post("/accounts/login/", form)
    assert response["Location"] == "/accounts/2fa/authenticate/"
    assert not is_signed_in(stranger)
    code = RecoveryCodes(
        Authenticator.objects.get(user=person, type="recovery_codes")
    ).get_unused_codes()[0]
    stranger.post("/accounts/2fa/authenticate/", {"code": code})
    assert is_signed_in(stranger)


def test_secrets_are_encrypted(person: User, settings: Settings) -> None:
    authenticator = TOTP.activate(person, "JBSWY3DPEHPK3PXP").instance
    stored = authenticator.data["secret"]
    assert "JBSWY3DPEHPK3PXP" not in stored
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another"
    assert get_adapter().decrypt(stored) == "JBSWY3DPEHPK3PXP"


def test_a_new_address_counts_once_confirmed_and_the_old_one_is_told(
    client: Client, person: User
) -> None:
    sign_in_just_now(client, person)
    client.post("/accounts/email/", {"action_add": "", "email": "new@example.com"})
    [to_new] = mail.outbox
    assert to_new.to == ["new@example.com"]
    person.refresh_from_db()
    assert person.email == "mia@example.com"
    [link] = re.findall(r"https?://[^/]+(/accounts/confirm-email/\S+)", str(to_new.body))
    client.post(link)
    person.refresh_from_db()
    assert person.email == "new@example.com"
    assert [row.email for row in EmailAddress.objects.filter(user=person)] == ["new@example.com"]
    told = [message for message in mail.outbox if message.to == ["mia@example.com"]]
    assert [message.subject for message in told] == ["Your e-mail address was changed"]
    assert "to new@example.com" in str(told[0].body)


def test_an_address_is_not_changed_without_the_password(client: Client, person: User) -> None:
    client.force_login(person)
    response = client.post("/accounts/email/", {"action_add": "", "email": "thief@example.com"})
    assert response["Location"].startswith("/accounts/reauthenticate/")
    assert mail.outbox == []
    assert EmailAddress.objects.get().email == person.email
