"""Names and titles are stored as one line that can be read."""

import pytest
from django.test import Client

from agents.forms import AgentForm, MailTimesForm
from agents.models import ScheduledMailReport
from listings.seller_forms import OfferForm
from marketplace.token_forms import TokenForm
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
FIELDS = [(AgentForm, "name"), (OfferForm, "title"), (TokenForm, "name"), (MailTimesForm, "name")]


@pytest.mark.parametrize(("form", "field"), FIELDS)
@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("Joinery\r\nBcc: you@example.com", "Joinery Bcc: you@example.com"),
        ("a\u2028b", "a b"),
        ("\u202eabc\u2069", "abc"),
        ("\U0001f469\u200d\U0001f527 Werkstatt", "\U0001f469\u200d\U0001f527 Werkstatt"),
        ("\u0639\u0631\u0628\u0649", "\u0639\u0631\u0628\u0649"),
    ],
)
def test_it_is_one_line(form: type, field: str, sent: str, kept: str) -> None:
    assert form().fields[field].clean(sent) == kept


@pytest.mark.parametrize(("form", "field"), FIELDS[:3])
@pytest.mark.parametrize("sent", ["\u200b", " \u202e\u2060 "])
def test_what_nobody_can_see_is_missing(form: type, field: str, sent: str) -> None:
    assert form({field: sent}).errors[field].as_data()[0].code == "required"


def test_null_characters_are_refused() -> None:
    assert "name" in AgentForm({"name": "\0", "frequency": "weekly"}).errors


def test_the_page_keeps_the_line() -> None:
    browser, person = Client(), UserFactory.create()
    browser.force_login(person)
    browser.post("/agents/new/", {"name": "One\nTwo", "frequency": "daily", "keywords": "oak"})
    assert ScheduledMailReport.objects.filter(user=person, name="One Two").exists()
