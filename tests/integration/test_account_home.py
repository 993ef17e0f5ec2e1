"""The account's home: every part with its present value, and constant queries."""

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
URL = "/account/"


def test_guests_sign_in_first(client: Client) -> None:
    assert client.get(URL)["Location"] == f"/accounts/login/?next={URL}"


def test_it_names_what_there_is_and_where_to_change_it(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    person = UserFactory.create(name="Mia Kai", language="hr", mail_hour=18)
    EmailAddress.objects.create(user=person, email="new@example.com", verified=False)
    client.force_login(person)
    # Session, person, the address to be confirmed, two factors, devices.
    with django_assert_num_queries(5):
        html = client.get(URL).content.decode()
    for shown in ("Mia Kai", "Hrvatski", "18:00", "Europe/Berlin", person.email, "new@example.com"):
        assert shown in html
    for link in (
        "/account/mail-times/",
        "/accounts/email/",
        "/accounts/password/change/",
        "/accounts/2fa/",
        "/accounts/sessions/",
        "/account/data/",
        "/account/delete/",
    ):
        assert f'href="{link}' in html
