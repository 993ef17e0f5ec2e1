"""What a person has muted is in no plan and in no mail, and costs no more queries."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.models import MutedCompany, ReportedCompany, ReportRun
from agents.runs import run_reports
from listings.models import Company
from marketplace.models import User
from notifications.models import Delivery
from tests.factories import AgentFactory, UserFactory
from tests.firing import fire_and_read, publish, send, sent_mails
from tests.limits import set_limits

pytestmark = pytest.mark.django_db


def mute(user: User, title: str) -> None:
    MutedCompany.objects.create(user=user, company=Company.objects.get(title=title))


def test_a_muted_company_is_not_planned_for_that_person_alone() -> None:
    mine, others = AgentFactory.create(), AgentFactory.create()
    publish("Mill", "Bakery")
    mute(mine.user, "Mill")
    assert fire_and_read() == [["Bakery"], ["Bakery", "Mill"]]
    run = ReportRun.objects.get()
    assert (run.matched, run.duplicates, run.reported, run.waiting) == (3, 0, 3, 0)
    assert others.reported.count() == 2


def test_what_is_muted_does_not_wait_either() -> None:
    set_limits(max_companies=1)
    agent = AgentFactory.create()
    publish("Mill", "Bakery")
    mute(agent.user, "Mill")
    assert [fire_and_read(), fire_and_read()] == [[["Bakery"]], []]


def test_unmuted_in_time_it_is_shown() -> None:
    agent = AgentFactory.create()
    publish("Mill")
    mute(agent.user, "Mill")
    MutedCompany.objects.all().delete()
    assert fire_and_read() == [["Mill"]]


def test_muting_asks_no_more_of_the_database_for_more_people() -> None:
    run_reports("daily", now=datetime.now(UTC))  # makes the row of limits
    publish("Mill", "Bakery")
    counts = []
    for people in (1, 4):
        for _ in range(people):
            agent = AgentFactory.create(user=UserFactory.create())
            mute(agent.user, "Mill")
        with CaptureQueriesContext(connection) as queries:
            run_reports("daily", now=datetime.now(UTC))
        counts.append(len(queries))
    assert counts[0] == counts[1]
    assert set(ReportedCompany.objects.values_list("company__title", flat=True)) == {"Bakery"}
    assert Delivery.objects.count() == 5


def test_a_mail_that_was_planned_before_leaves_it_out() -> None:
    mine, other = AgentFactory.create(), AgentFactory.create()
    publish("Mill", "Bakery")
    fire_and_read()
    mute(mine.user, "Mill")
    assert send() == 2

    mails = {mail["To"]: mail.get_body().get_content() for mail in sent_mails()}  # type: ignore[union-attr]
    [to_me] = [text for to, text in mails.items() if mine.user.email in to]
    [to_other] = [text for to, text in mails.items() if other.user.email in to]
    assert ("Bakery" in to_me, "Mill" in to_me) == (True, False)
    assert "Mill" in to_other
    # It was not shown, so it may be: unmuted, and news again, it comes.
    assert [row.company.title for row in mine.reported.all()] == ["Bakery"]
    MutedCompany.objects.all().delete()
    Company.objects.filter(title="Mill").update(fresh_at=datetime.now(UTC))
    assert fire_and_read() == [["Mill"]]


def test_a_planned_mail_with_nothing_but_muted_companies_is_cancelled() -> None:
    agent = AgentFactory.create()
    publish("Mill")
    fire_and_read()
    mute(agent.user, "Mill")
    send()
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.reason) == ("cancelled", "nothing_left")
