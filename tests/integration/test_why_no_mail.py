"""Why somebody got no mail: every test with its result, agreeing with who is eligible."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.models import ScheduledMailReport
from agents.why_no_mail import Test, find_person, why_no_mail
from marketplace.models import Suspension, User
from notifications.eligibility import eligible
from notifications.models import Delivery, Reason, SpamReport, Suppression
from tests.factories import AgentFactory, UserFactory
from tests.firing import fire, publish, send
from tests.limits import set_limits

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


def nothing(person: User) -> None:
    """The person may get mail."""


def inactive(person: User) -> None:
    User.objects.filter(pk=person.pk).update(is_active=False)


def without_address(person: User) -> None:
    User.objects.filter(pk=person.pk).update(email="")


def unconfirmed(person: User) -> None:
    EmailAddress.objects.filter(user=person).update(verified=False)


def another_address_confirmed(person: User) -> None:
    EmailAddress.objects.filter(user=person).update(email="other@example.com")


def suspended(person: User) -> None:
    Suspension.objects.create(user=person, reason="abuse", starts_at=NOW, ends_at=None)


def suspended_for_a_day(person: User) -> None:
    end = NOW + timedelta(days=1)
    Suspension.objects.create(user=person, reason="abuse", starts_at=NOW, ends_at=end)


def reported(person: User) -> None:
    SpamReport.objects.create(email="ANA@example.com", source="sendgrid", reported_at=NOW)


def suppressed(person: User) -> None:
    Suppression.objects.create(email="aNa@example.com", cause="bounce", created_at=NOW)


BARS: list[tuple[Callable[[User], None], Reason, str, datetime | None]] = [
    (inactive, Reason.INACTIVE, "The account is switched off.", None),
    (without_address, Reason.NO_ADDRESS, "There is no address.", None),
    (
        unconfirmed, Reason.UNVERIFIED, "The link in the confirmation mail was not used yet.", None
    ),
    (
        another_address_confirmed, Reason.UNVERIFIED,
        "Another address of this person is confirmed, this one is not.", None,
    ),
    (suspended, Reason.SUSPENDED, "Suspended without an end: abuse", NOW),
    (suspended_for_a_day, Reason.SUSPENDED, "Suspended until 2026-12-01 09:00 UTC: abuse", NOW),
    (reported, Reason.SPAM_REPORTED, "Reported as spam (by sendgrid).", NOW),
    (suppressed, Reason.SUPPRESSED, "Barred: hard bounce", NOW),
]  # fmt: skip


def ana() -> User:
    return UserFactory.create(email="Ana@example.com")


def failed(person: User) -> list[Test]:
    person.refresh_from_db()
    return [test for test in why_no_mail(person, NOW).tests if not test.passed]


@pytest.mark.parametrize("bar", BARS, ids=lambda bar: bar[0].__name__)
def test_each_bar_fails_its_own_test_with_words_and_date(
    bar: tuple[Callable[[User], None], Reason, str, datetime | None],
) -> None:
    arrange, reason, words, at = bar
    person = ana()
    arrange(person)
    test = next(test for test in failed(person) if test.name == reason)
    assert (test.result, test.at) == (words, at)


@pytest.mark.parametrize("arrange", [nothing, *(bar[0] for bar in BARS)])
def test_all_tests_passed_means_eligible(arrange: Callable[[User], None]) -> None:
    person = ana()
    arrange(person)
    person.refresh_from_db()
    may = why_no_mail(person, NOW).may_get_mail
    assert may == eligible(NOW).filter(pk=person.pk).exists() == (arrange is nothing)


def test_every_bar_is_shown_not_only_the_first() -> None:
    person = ana()
    for arrange in (inactive, suspended, reported, suppressed):
        arrange(person)
    assert [test.name for test in failed(person)] == [
        "inactive", "suspended", "spam_reported", "suppressed"
    ]  # fmt: skip


def test_somebody_whose_agents_are_off_is_told_so_and_may_still_get_mail() -> None:
    person = ana()
    ScheduledMailReport.objects.filter(user=person).update(is_active=False)
    answer = why_no_mail(person, NOW)
    assert answer.may_get_mail
    assert [test.result for test in answer.tests if not test.passed] == [
        "Every search agent is switched off, here or by a link in a mail."
    ]


def last_report(agent: ScheduledMailReport) -> Any:
    answer = why_no_mail(agent.user, datetime.now(UTC))
    return next(report for report in answer.agents if report.agent == agent)


def test_an_agent_tells_what_its_last_run_decided() -> None:
    agent = AgentFactory()
    report = last_report(agent)
    assert (report.decision, report.is_due, report.mail) == ("has not run yet", True, None)
    fire()
    report = last_report(agent)
    assert (report.decision, report.is_due) == ("there was nothing new", False)


def test_who_was_cut_off_by_the_limit_reads_so() -> None:
    agent = AgentFactory()
    publish("A")
    set_limits(max_mails_per_run=0)
    fire()
    report = last_report(agent)
    assert report.decision == "moved to the next firing by the limit of mails per run"
    assert report.is_due


def test_a_planned_mail_its_state_and_what_did_not_fit_are_told() -> None:
    agent = AgentFactory()
    publish("A", "B", "C")
    set_limits(max_companies=1)
    fire()
    report = last_report(agent)
    assert (report.decision, report.mail_state, report.waiting) == (
        "a mail was planned", "waiting to be sent", 2
    )  # fmt: skip
    send()
    assert last_report(agent).mail_state == "sent"
    sent = Delivery.objects.get(kind="digest")
    assert why_no_mail(agent.user, datetime.now(UTC)).last_sent_at == sent.finished_at


def test_a_barred_persons_agent_tells_why() -> None:
    agent = AgentFactory()
    suspended(agent.user)
    publish("A")
    fire()
    assert last_report(agent).decision == ("the person may not get mail: the account is suspended")


def test_more_agents_cost_no_more_queries() -> None:
    person = ana()
    publish("A")
    counts = []
    for number in (1, 4):
        AgentFactory.create_batch(number, user=person)
        fire()
        with CaptureQueriesContext(connection) as queries:
            why_no_mail(person, datetime.now(UTC))
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 9


@pytest.mark.parametrize("text", ["ana@EXAMPLE.com", " Ana@example.com ", "id"])
def test_people_are_found_by_address_in_any_case_or_id(text: str) -> None:
    person = ana()
    assert find_person(str(person.pk) if text == "id" else text) == person


@pytest.mark.parametrize("text", ["", "nobody@example.com", "0", "9" * 40, "a\0b", "²"])
def test_nobody_is_found_by_anything_else(text: str) -> None:
    UserFactory.create(email="")
    assert find_person(text) is None


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("why_no_mail", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_prints_the_tests_and_the_agents() -> None:
    person = ana()
    suppressed(person)
    AgentFactory.create(user=person, name="Mills [/red] in Zagreb")
    table = run("ANA@example.com")
    assert "may not get mail" in table
    assert "Barred: hard bounce" in table
    assert "Mills [/red] in Zagreb" in table
    assert "\x1b" not in table


def test_the_command_answers_programs_in_json() -> None:
    person = ana()
    reported(person)
    answer = json.loads(run(str(person.pk), "--json"))
    assert answer["may_get_mail"] is False
    assert {test["name"]: test["passed"] for test in answer["tests"]} == {
        "inactive": True, "no_address": True, "unverified": True, "suspended": True,
        "spam_reported": False, "suppressed": True, "agents_on": True,
    }  # fmt: skip
    assert answer["agents"][0]["outcome"] == "new"


def test_the_command_refuses_an_unknown_person() -> None:
    with pytest.raises(CommandError, match="nobody with the address or id"):
        run("x@example.com")
