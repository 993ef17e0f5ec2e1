"""Staff read every mail in every language before people do; nobody else does."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from agents.models import DigestSection, ReportedCompany
from agents.welcome import plan_welcome
from listings.models import Enquiry
from marketplace.mail_previews import kinds
from marketplace.models import User
from notifications.models import Delivery
from tests.factories import UserFactory
from tests.factories.listings import CompanyFactory

pytestmark = pytest.mark.django_db
URL = "/staff/mails/"


@pytest.fixture
def staff(client: Client) -> User:
    user = UserFactory.create(is_staff=True, language="en")
    client.force_login(user)
    return user


def plan_digest(user: User) -> Delivery:
    """A digest with the one company on offer."""
    delivery_id = plan_welcome(user, timezone.now())
    assert delivery_id is not None
    Delivery.objects.filter(pk=delivery_id).update(kind="digest")
    assert ReportedCompany.objects.filter(delivery=delivery_id).count() == 1
    return Delivery.objects.get(pk=delivery_id)


@pytest.mark.parametrize("path", ["", "digest/en/", "digest/en/body/"])
def test_for_others_there_is_no_such_page(client: Client, path: str) -> None:
    assert client.get(URL + path).status_code == 404
    client.force_login(UserFactory.create())
    assert client.get(URL + path).status_code == 404


@pytest.mark.parametrize(
    "path", ["nothing/en/", "digest/xx/", "login-code/fr/body/", "digest/en/body/"]
)
def test_what_does_not_exist_is_not_found(client: Client, staff: User, path: str) -> None:
    assert client.get(URL + path).status_code == 404


def test_without_digests_the_page_says_so(client: Client, staff: User) -> None:
    assert "nothing to show" in client.get(f"{URL}digest/en/").content.decode()


@pytest.mark.parametrize("language", ["en", "de", "hr"])
def test_every_account_mail_shows_in_every_language(
    client: Client, staff: User, language: str
) -> None:
    listed = client.get(URL).content.decode()
    account_mails = [kind for kind in kinds() if kind not in ("digest", "enquiry", "welcome")]
    assert len(account_mails) >= 15
    for kind in account_mails:
        assert f'href="{URL}{kind}/{language}/"' in listed
        page = client.get(f"{URL}{kind}/{language}/").content.decode()
        assert f'src="{URL}{kind}/{language}/body/"' in page
        body = client.get(f"{URL}{kind}/{language}/body/")
        assert f'<html lang="{language}">' in body.content.decode()
        assert body["Content-Security-Policy"].startswith("sandbox ")
        assert body["X-Frame-Options"] == "SAMEORIGIN"


def test_the_newest_message_to_a_seller_shows(client: Client, staff: User) -> None:
    assert "nothing to show" in client.get(f"{URL}enquiry/de/").content.decode()
    company = CompanyFactory.create(title="Hotel am Kai", seller=UserFactory.create())
    sender = UserFactory.create(name="Mia Kai")
    Enquiry.objects.create(
        company=company, sender=sender, message="Is it <b>big</b>?", sent_at=timezone.now()
    )
    html = client.get(f"{URL}enquiry/de/body/").content.decode()
    assert '<html lang="de">' in html
    for shown in ("Hotel am Kai", "Mia Kai", "Is it &lt;b&gt;big&lt;/b&gt;?"):
        assert shown in html


def test_a_digest_shows_real_companies_in_each_language_and_stores_nothing(
    client: Client, staff: User
) -> None:
    company = CompanyFactory.create(
        title="Hotel am Kai", price=1250000, published_at=timezone.now() - timedelta(days=1)
    )
    person = UserFactory.create(language="hr")
    delivery = plan_digest(person)
    prices = {"en": "€1,250,000", "de": "1.250.000\xa0€", "hr": "1.250.000\xa0€"}
    for language, price in prices.items():
        html = client.get(f"{URL}digest/{language}/body/").content.decode()
        assert f'<html lang="{language}">' in html
        assert "Hotel am Kai" in html
        assert price in html
    # Reading withdrawn companies out of the dedup table is for the sender, not for readers.
    company.status = "withdrawn"
    company.save()
    assert client.get(f"{URL}digest/en/").status_code == 200
    assert ReportedCompany.objects.filter(delivery=delivery).count() == 1
    assert DigestSection.objects.filter(delivery=delivery).count() == 1
    person.refresh_from_db()
    assert person.language == "hr"
