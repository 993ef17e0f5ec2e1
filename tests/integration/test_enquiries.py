"""Writing to a seller: one mail, answered to its sender."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from pytest_django import Settings

from listings import enquiries
from listings.models import CompanyStatus, Enquiry
from marketplace.models import User
from notifications.models import Delivery, MailContent
from tests.factories import CompanyFactory, UserFactory

pytestmark = pytest.mark.django_db
TEXT = "Does the building belong to it?\n\nRegards, M."


@pytest.fixture(autouse=True)
def _ledger(settings: Settings) -> None:
    """Mail goes where it goes in production."""
    settings.EMAIL_BACKEND = "notifications.email_backend.LedgerEmailBackend"


@pytest.fixture
def buyer(client: Client) -> User:
    person = UserFactory.create(name="Mia Muster", email="mia@example.com")
    client.force_login(person)
    return person


def test_the_message_goes_to_the_seller_and_the_answer_to_the_sender(
    client: Client, buyer: User
) -> None:
    company = CompanyFactory.create(title="Sawmill", seller=UserFactory.create(email="s@x.example"))
    for _ in range(2):  # a double click
        response = client.post(f"/companies/{company.pk}/write/", {"message": TEXT})
        assert response["Location"] == f"/companies/{company.pk}/"
    enquiry = Enquiry.objects.get()
    assert (enquiry.company, enquiry.sender, enquiry.message) == (company, buyer, TEXT)
    assert [delivery.address for delivery in Delivery.objects.all()] == ["s@x.example"]
    content = MailContent.objects.get()
    assert content.headers["Reply-To"] == "mia@example.com"
    assert content.subject == "A question about “Sawmill”"
    assert "Does the building belong to it?" in content.text
    assert "Mia Muster (mia@example.com) writes about “Sawmill”:" in content.text
    assert f"/companies/{company.pk}/" in content.text
    assert "because you offer “Sawmill” at Marktlotse" in content.text
    assert "was entered at Marktlotse" not in content.text + content.html


@pytest.mark.parametrize("has_inactive_seller", [True, False])
def test_without_a_seller_to_reach_the_operator_gets_it(
    client: Client, buyer: User, settings: Settings, has_inactive_seller: bool
) -> None:
    settings.OPERATOR_EMAIL = "post@operator.example"
    seller = UserFactory.create(is_active=False) if has_inactive_seller else None
    company = CompanyFactory.create(seller=seller)
    client.post(f"/companies/{company.pk}/write/", {"message": TEXT})
    assert Delivery.objects.get().address == "post@operator.example"
    text = MailContent.objects.get().text
    assert f"because you run Marktlotse, and “{company.title}” has no seller" in text


@pytest.mark.parametrize("message", ["", "   ", "a" * 3001, "a\x00b"])
def test_what_cannot_be_sent_is_said_at_its_field(
    client: Client, buyer: User, message: str
) -> None:
    company = CompanyFactory.create()
    response = client.post(f"/companies/{company.pk}/write/", {"message": message})
    assert response.status_code == 200
    assert list(response.context["form"].errors) == ["message"]
    assert not Enquiry.objects.exists()
    assert not Delivery.objects.exists()


def test_a_day_allows_so_many_and_not_more(
    client: Client, buyer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(enquiries, "MAX_ENQUIRIES_A_DAY", 2)
    company = CompanyFactory.create()
    day_ago = datetime.now(UTC) - timedelta(days=1, minutes=1)
    Enquiry.objects.create(company=company, sender=buyer, message="old", sent_at=day_ago)
    for number in range(3):
        response = client.post(f"/companies/{company.pk}/write/", {"message": f"m{number}"})
    assert "Please go on tomorrow." in response.content.decode()
    assert Delivery.objects.count() == 2


def test_guests_sign_in_first_and_come_back(client: Client) -> None:
    company = CompanyFactory.create()
    url = f"/companies/{company.pk}/write/"
    assert (
        f'href="/accounts/login/?next={url}"'
        in client.get(f"/companies/{company.pk}/").content.decode()
    )
    assert client.post(url, {"message": TEXT})["Location"] == f"/accounts/login/?next={url}"
    assert not Enquiry.objects.exists()


@pytest.mark.parametrize("status", [CompanyStatus.DRAFT, CompanyStatus.WITHDRAWN])
def test_nobody_is_asked_about_what_is_not_offered(
    client: Client, buyer: User, status: str
) -> None:
    company = CompanyFactory.create(status=status, seller=buyer)
    response = client.post(f"/companies/{company.pk}/write/", {"message": TEXT})
    assert response.status_code == 404
    assert not Enquiry.objects.exists()
