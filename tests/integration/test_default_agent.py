"""Every new person gets a default agent, and a welcome that holds current companies (A9)."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from allauth.account.signals import email_confirmed
from django.core.management import call_command
from django.test import RequestFactory

from agents.editing import pause_agent
from agents.models import ReportedCompany, ScheduledMailReport
from agents.welcome import plan_welcome
from listings.criteria import EVERYTHING
from marketplace.models import User
from notifications.models import Delivery, State
from tests.factories import UserFactory
from tests.firing import fire, publish, send, sent_mails
from tests.limits import set_limits

pytestmark = pytest.mark.django_db


def now() -> datetime:
    return datetime.now(UTC)


@pytest.mark.parametrize(
    ("language", "name"),
    [("en", "All new companies"), ("de", "Alle neuen Unternehmen"), ("hr", "Sve nove tvrtke")],
)
def test_a_new_person_has_one_broad_weekly_agent_named_in_their_language(
    language: str, name: str
) -> None:
    user = UserFactory(language=language)
    agent = ScheduledMailReport.objects.get(user=user)
    assert (agent.name, agent.frequency, agent.is_active, agent.is_default) == (
        name, "weekly", True, True
    )  # fmt: skip
    assert agent.criteria == EVERYTHING
    assert agent.next_run_at > now()


def test_saving_a_person_again_adds_none() -> None:
    user = UserFactory()
    user.save()
    assert ScheduledMailReport.objects.filter(user=user).count() == 1


def test_loading_a_fixture_adds_none(tmp_path: Path) -> None:
    fixture = tmp_path / "people.json"
    fields = {"email": "fixture@example.com", "password": "!"}
    fixture.write_text(json.dumps([{"model": "marketplace.user", "pk": 999, "fields": fields}]))
    call_command("loaddata", str(fixture), verbosity=0)
    assert User.objects.get(pk=999).email == "fixture@example.com"
    assert ScheduledMailReport.objects.count() == 0


def confirm(user: User) -> None:
    address = EmailAddress.objects.get(user=user)
    request = RequestFactory().get("/")
    email_confirmed.send(sender=EmailAddress, request=request, email_address=address)


def test_the_welcome_holds_the_newest_companies_and_is_sent_once() -> None:
    set_limits(max_companies=2)
    publish("Old", "New", "Newest", minutes_ago=60 * 24 * 90)
    user = UserFactory(language="en")
    confirm(user)
    confirm(user)
    send()
    [mail] = sent_mails()
    body = mail.get_body(("plain",))
    assert body is not None
    lines = body.get_content().splitlines()
    assert mail["Subject"] == "Welcome to Marktlotse"
    assert [line for line in lines if line.startswith("* ")] == ["* Newest", "* New"]
    assert Delivery.objects.get().state == State.SENT
    assert ReportedCompany.objects.filter(user=user).count() == 2


def test_the_first_weekly_mail_repeats_nothing_of_the_welcome() -> None:
    publish("Shown")
    user = UserFactory()
    ScheduledMailReport.objects.update(watching_since=now() - timedelta(days=1))
    confirm(user)
    publish("Since", minutes_ago=0)
    ScheduledMailReport.objects.update(next_run_at=now(), matched_until=now() - timedelta(hours=2))
    run = fire("weekly")
    assert (run.digests, run.reported, run.duplicates) == (1, 1, 1)


def test_a_welcome_without_companies_is_still_a_welcome() -> None:
    confirm(UserFactory())
    send()
    [mail] = sent_mails()
    body = mail.get_body(("plain",))
    assert body is not None
    assert "As soon as something new is on offer" in body.get_content()


def test_whoever_switched_the_default_agent_off_is_welcomed_without_companies() -> None:
    publish("A")
    user = UserFactory()
    pause_agent(ScheduledMailReport.objects.get(user=user), now())
    assert plan_welcome(user, now()) is not None
    assert ReportedCompany.objects.count() == 0
