"""An address that complained, bounced or unsubscribed after planning gets nothing, and the ledger
says why."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from pytest_django import Settings

from agents.models import ReportedCompany
from notifications.models import Delivery, Reason, SpamReport, State, Suppression
from notifications.suppressing import Bar, barred_among, suppress
from tests.factories import AgentFactory
from tests.firing import fire, publish, send, sent_mails
from tests.providers.signed_events import PUBLIC_KEY, event, post

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _key(settings: Settings) -> None:
    settings.SENDGRID_WEBHOOK_PUBLIC_KEY = PUBLIC_KEY


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"event": "spamreport"}, Reason.SPAM_REPORTED),
        ({"event": "bounce", "type": "bounce"}, Reason.SUPPRESSED),
        ({"event": "dropped", "reason": "Bounced Address"}, Reason.SUPPRESSED),
        ({"event": "unsubscribe"}, Reason.SUPPRESSED),
    ],
)
def test_it_is_cancelled_with_the_reason_and_nothing_counts_as_shown(
    fields: dict[str, Any], reason: str
) -> None:
    barred, other = AgentFactory.create().user, AgentFactory.create().user
    publish("A")
    fire()
    post(event(None, "", email=barred.email.upper(), **fields))
    send()
    states = Delivery.objects.values_list("user", "state", "reason")
    assert set(states) == {
        (barred.pk, State.CANCELLED, reason),
        (other.pk, State.SENT, ""),
    }
    assert [mail["To"].addresses[0].addr_spec for mail in sent_mails()] == [other.email]
    assert set(ReportedCompany.objects.values_list("user", flat=True)) == {other.pk}


def test_a_soft_bounce_stops_nothing() -> None:
    person = AgentFactory.create().user
    publish("A")
    fire()
    post(event(None, "bounce", type="blocked", email=person.email))
    send()
    assert Delivery.objects.get().state == State.SENT


def test_barring_is_idempotent_and_takes_what_is_no_address_as_it_comes() -> None:
    now = timezone.now()
    odd = [Bar(address, Suppression.Cause.COMPLAINT, now) for address in
           ("", "nobody", "x" * 300 + "@x.example", "a@example.com", "A@EXAMPLE.COM")]  # fmt: skip
    for _ in range(2):
        suppress(odd, source="phone")
    assert list(Suppression.objects.values_list("email", "cause")) == [
        ("a@example.com", "complaint")
    ]
    assert list(SpamReport.objects.values_list("email", "source")) == [("a@example.com", "phone")]
    assert barred_among(["A@example.com", "b@example.com"]) == {"a@example.com"}


def test_the_database_itself_allows_an_address_once() -> None:
    Suppression.objects.create(email="a@example.com")
    with pytest.raises(IntegrityError), transaction.atomic():
        Suppression.objects.create(email="A@example.com")
