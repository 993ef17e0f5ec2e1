"""What people write runs in the direction of its script, and turns nothing beside it round."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from listings.enquiries import mail_of
from listings.models import Enquiry
from marketplace.account_mails import message_of
from tests.factories import AgentFactory, CompanyFactory, UserFactory

pytestmark = pytest.mark.django_db
WORDS = "شركة النور"


def isolated(html: str) -> int:
    """How often the words stand in the page, each time in an element with its own direction."""
    body = html.partition("<body")[2]
    # A sentence about what was just done quotes the name in running text.
    body = re.sub(r'<p class="ml-message.*?</p>', "", body, flags=re.DOTALL)
    body = re.sub(r'\s(value|content|aria-label|alt)="[^"]*"', "", body)
    body = re.sub(r"<textarea.*?</textarea>", "", body, flags=re.DOTALL)
    apart = rf'(?:<bdi>|dir="auto"[^<>]*>(?:\s*<p>)?)\s*[“„]?{WORDS}'
    rest, count = re.subn(apart, "", body)
    assert re.findall(rf".{{0,80}}{WORDS}", rest) == []
    return count


def test_pages_isolate_names_titles_and_descriptions() -> None:
    person = UserFactory.create(name=WORDS, language="en")
    company = CompanyFactory.create(title=WORDS, description=WORDS, seller=person)
    agent = AgentFactory.create(user=person, name=WORDS)
    seller, buyer = Client(), Client()
    seller.force_login(person)
    buyer.force_login(UserFactory.create())
    for path in (
        "/my-companies/", f"/companies/{company.pk}/", "/agents/", f"/agents/{agent.pk}/history/",
        "/account/",
    ):  # fmt: skip
        assert isolated(seller.get(path).content.decode()) >= 1, path
    for path in ("/", "/companies/", f"/companies/{company.pk}/", f"/companies/{company.pk}/hide/"):
        assert isolated(buyer.get(path).content.decode()) >= 1, path
    buyer.post(reverse("agents:mute", args=[company.pk]))
    assert isolated(buyer.get("/agents/hidden/").content.decode()) >= 1
    seller.post(f"/agents/{agent.pk}/delete/")
    assert isolated(seller.get("/agents/").content.decode()) >= 1


def test_the_message_in_an_enquiry_mail_has_its_own_direction() -> None:
    company = CompanyFactory.create(title="Mill", seller=UserFactory.create())
    enquiry = Enquiry.objects.create(
        company=company, sender=UserFactory.create(), message=WORDS, sent_at=timezone.now()
    )
    mail = message_of(mail_of(enquiry), "a@example.com")
    assert isolated(str(mail.alternatives[0][0])) == 1
