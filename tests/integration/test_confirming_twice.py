"""The link that confirms an address: pressed twice, followed again later, or not valid."""

import pytest
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from django.test import Client

from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def link() -> str:
    """The link to confirm new@example.com, which somebody has just entered."""
    person = UserFactory.create()
    address = EmailAddress.objects.create(user=person, email="new@example.com", verified=False)
    return f"/accounts/confirm-email/{EmailConfirmationHMAC.create(address).key}/"


@pytest.fixture
def browser() -> Client:
    return Client(headers={"accept-language": "en"})


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_link_that_did_its_work_says_that_the_address_is_confirmed(
    browser: Client, link: str, method: str
) -> None:
    assert browser.post(link).status_code == 302
    again = getattr(browser, method)(link, follow=True)
    assert again.redirect_chain == [("/accounts/login/", 302)]
    assert "The address new@example.com is confirmed." in again.content.decode()
    assert EmailAddress.objects.get(email="new@example.com").verified


def test_its_own_person_stays_signed_in(browser: Client, link: str) -> None:
    person = EmailAddress.objects.get(email="new@example.com").user
    browser.force_login(person)
    browser.post(link)
    assert browser.get(link)["Location"] == "/accounts/email/"


def test_a_link_that_does_not_work_says_so_to_a_sent_form_too(browser: Client, link: str) -> None:
    broken = link[:-2] + "/"
    answer = browser.post(broken, follow=True)
    assert answer.status_code == 200
    assert "This email confirmation link expired or is invalid." in answer.content.decode()
    assert not EmailAddress.objects.get(email="new@example.com").verified
