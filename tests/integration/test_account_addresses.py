"""An address longer than one can be is refused at its field, wherever people name one."""

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client

from marketplace.models import User
from tests.factories import UserFactory
from tests.signing_in import sign_in_just_now

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_rate_limits")]
PASSWORD = "a long quiet harbour 7"
TOO_LONG = [274, 312, 5000]


def address_of(length: int) -> str:
    domain = "@" + ".".join(["a" * 60] * 3) + ".example.com"
    return "m" * (length - len(domain)) + domain


def sign_up(email: str) -> dict[str, str]:
    return {"email": email, "password1": PASSWORD, "password2": PASSWORD}


def test_the_error_says_how_long_an_address_may_be(client: Client) -> None:
    client.cookies["django_language"] = "de"
    response = client.post("/accounts/signup/", sign_up(address_of(274)))
    [error] = response.context["form"].errors["email"]
    assert "höchstens 254 Zeichen" in error


@pytest.mark.parametrize("length", [255, *TOO_LONG])
def test_nobody_signs_up_with_too_long_an_address(client: Client, length: int) -> None:
    response = client.post("/accounts/signup/", sign_up(address_of(length)))
    assert response.status_code == 200
    assert list(response.context["form"].errors) == ["email"]
    assert 'id="id_email_error"' in response.content.decode()
    assert not User.objects.exists()
    assert not EmailAddress.objects.exists()


def test_the_longest_address_is_stored_whole(client: Client) -> None:
    longest = address_of(254)
    response = client.post("/accounts/signup/", sign_up(longest))
    assert response["Location"] == "/accounts/confirm-email/"
    assert User.objects.get().email == EmailAddress.objects.get().email == longest
    assert mail.outbox[0].to == [longest]


@pytest.mark.parametrize("length", TOO_LONG)
def test_nobody_changes_to_too_long_an_address(client: Client, length: int) -> None:
    person = UserFactory.create()
    sign_in_just_now(client, person)
    form = {"action_add": "", "email": address_of(length)}
    response = client.post("/accounts/email/", form)
    assert response.status_code == 200
    assert list(response.context["form"].errors) == ["email"]
    assert EmailAddress.objects.get().email == person.email


@pytest.mark.parametrize("length", TOO_LONG)
def test_too_long_an_address_has_no_password_to_reset(client: Client, length: int) -> None:
    response = client.post("/accounts/password/reset/", {"email": address_of(length)})
    assert response.status_code == 200
    assert list(response.context["form"].errors) == ["email"]
    assert mail.outbox == []


@pytest.mark.parametrize("length", TOO_LONG)
def test_too_long_an_address_does_not_sign_in(client: Client, length: int) -> None:
    form = {"login": address_of(length), "password": PASSWORD}
    response = client.post("/accounts/login/", form)
    assert response.status_code == 200
    assert response.context["form"].errors


@pytest.mark.parametrize("length", TOO_LONG)
@pytest.mark.parametrize("page", ["add", "change"])
def test_the_admin_refuses_too_long_an_address(client: Client, page: str, length: int) -> None:
    operator = UserFactory.create(is_staff=True, is_superuser=True)
    client.force_login(operator)
    url = "/admin/marketplace/user/" + ("add/" if page == "add" else f"{operator.pk}/change/")
    form = {
        "email": address_of(length),
        "language": "en",
        "usable_password": "false",
        "time_zone": "Europe/Berlin",
        "mail_hour": 7,
        "mail_weekday": 0,
        "mail_day_of_month": 1,
        "suspensions-TOTAL_FORMS": 0,
        "suspensions-INITIAL_FORMS": 0,
    }
    response = client.post(url, form)
    assert list(response.context["adminform"].form.errors) == ["email"]
    assert list(User.objects.values_list("email", flat=True)) == [operator.email]


def test_too_long_a_name_is_refused_at_its_field(client: Client) -> None:
    person = UserFactory.create(name="Ana")
    client.force_login(person)
    form = {
        "name": "n" * 151,
        "language": "en",
        "time_zone": "Europe/Berlin",
        "mail_hour": 7,
        "mail_weekday": 0,
        "mail_day_of_month": 1,
    }
    url = "/account/mail-times/"
    response = client.post(url, form)
    assert list(response.context["form"].errors) == ["name"]
    person.refresh_from_db()
    assert person.name == "Ana"
