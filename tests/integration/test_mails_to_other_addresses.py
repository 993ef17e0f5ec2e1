"""Account mails to an address that is not yet, or no longer, the account's belong to its person."""

import pytest
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from marketplace.account_deletion import delete_account
from marketplace.models import User
from notifications.models import Delivery
from tests.factories import UserFactory
from tests.signing_in import sign_in_just_now

pytestmark = pytest.mark.django_db
BACKEND = "notifications.email_backend.LedgerEmailBackend"


@pytest.fixture
def moved(client: Client, settings: Settings) -> User:
    """Somebody who has just changed from old@ to new@example.com."""
    cache.clear()
    settings.EMAIL_BACKEND = BACKEND
    person = UserFactory.create(email="old@example.com")
    sign_in_just_now(client, person)
    client.post("/accounts/email/", {"action_add": "", "email": "new@example.com"})
    address = EmailAddress.objects.get(email="new@example.com")
    client.post(f"/accounts/confirm-email/{EmailConfirmationHMAC.create(address).key}/")
    person.refresh_from_db()
    assert person.email == "new@example.com"
    return person


def test_the_confirmation_and_the_word_to_the_old_address_are_the_persons(moved: User) -> None:
    mails = Delivery.objects.filter(kind="account").order_by("pk")
    assert list(mails.values_list("address", "user_id")) == [
        ("new@example.com", moved.pk),
        ("old@example.com", moved.pk),
    ]


def test_they_lose_their_address_with_the_account(moved: User) -> None:
    Delivery.objects.update(state="sent", finished_at=timezone.now())
    delete_account(moved.pk, timezone.now())
    assert not Delivery.objects.filter(address="old@example.com").exists()
    assert Delivery.objects.filter(kind="account", address="").count() == 2
