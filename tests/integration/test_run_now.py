"""One agent run by hand: the rules hold, twice does nothing more, a preview writes nothing."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from agents.models import Outcome, ReportedCompany, ReportRun, ScheduledMailReport
from agents.run_now import UnableToRun, ask_to_run, preview_run, run_agent
from agents.runs import OneAgent, run_reports
from marketplace.models import Suspension
from notifications.models import Delivery
from tests.factories import AgentFactory
from tests.firing import fire, publish, titles_in
from tests.limits import set_limits

pytestmark = pytest.mark.django_db
AHEAD = timedelta(days=3)


def now() -> datetime:
    return datetime.now(UTC)


def agent_of_later(**values: object) -> ScheduledMailReport:
    """An agent whose time has not come."""
    return AgentFactory.create(next_run_at=now() + AHEAD, **values)


def run_once(agent: ScheduledMailReport) -> None:
    run_agent(agent, ask_to_run(agent, now()), now())


def test_it_mails_this_agent_alone_though_its_time_has_not_come() -> None:
    agent, other = agent_of_later(), AgentFactory.create()
    same_person = agent_of_later(user=agent.user)
    publish("A", "B")
    run_once(agent)
    [mail] = Delivery.objects.filter(kind="digest")
    assert (mail.user, titles_in(mail)) == (agent.user, ["B", "A"])
    run = ReportRun.objects.get()
    assert (run.is_for_one_agent, run.due, run.digests) == (True, 1, 1)
    assert run.finished_at is not None
    for untouched in (other, same_person):
        untouched.refresh_from_db()
        assert untouched.last_outcome == Outcome.NEW


def test_a_second_click_joins_the_first() -> None:
    agent = agent_of_later()
    set_limits(max_companies=1)
    publish("A", "B")
    ticket = ask_to_run(agent, now())
    first, second = (run_agent(agent, ticket, now()) for _ in range(2))
    assert first.run_id == second.run_id
    assert Delivery.objects.filter(kind="digest").count() == 1


def test_what_was_shown_is_not_shown_again() -> None:
    agent = AgentFactory.create()
    publish("A")
    fire()
    run_once(agent)
    assert Delivery.objects.filter(kind="digest").count() == 1
    agent.refresh_from_db()
    assert agent.last_outcome == Outcome.NOTHING_NEW


def test_who_may_get_no_mail_gets_none() -> None:
    agent = agent_of_later()
    Suspension.objects.create(user=agent.user, reason="abuse", starts_at=now())
    publish("A")
    preview = preview_run(agent, now())
    assert preview.words == "the person may not get mail: the account is suspended"
    run_once(agent)
    assert not Delivery.objects.filter(kind="digest").exists()


def test_the_limit_of_mails_per_run_holds() -> None:
    agent = agent_of_later()
    publish("A")
    set_limits(max_mails_per_run=0)
    assert preview_run(agent, now()).outcome == Outcome.DEFERRED
    run_once(agent)
    assert not Delivery.objects.filter(kind="digest").exists()
    assert ReportRun.objects.get().deferred == 1


def test_a_preview_names_the_companies_and_writes_nothing() -> None:
    agent = agent_of_later()
    set_limits(max_companies=2)
    publish("A", "B", "C")
    before = ScheduledMailReport.objects.filter(pk=agent.pk).values().get()
    preview = preview_run(agent, now())
    assert [company.title for company in preview.companies] == ["C", "B"]
    assert (preview.outcome, preview.waiting) == (Outcome.MAILED, 1)
    assert ScheduledMailReport.objects.filter(pk=agent.pk).values().get() == before
    for model in (ReportRun, ReportedCompany, Delivery):
        assert not model.objects.exists()


def test_nothing_new_previews_as_that() -> None:
    preview = preview_run(agent_of_later(), now())
    assert (preview.words, preview.companies) == ("there was nothing new", [])


def test_an_agent_that_is_off_is_refused() -> None:
    agent = AgentFactory.create(is_active=False)
    for ask in (lambda: preview_run(agent, now()), lambda: run_once(agent)):
        with pytest.raises(UnableToRun, match="switched off"):
            ask()


@pytest.mark.parametrize("ticket", ["", "x", "another agent's", "an old one"])
def test_only_a_fresh_ticket_of_this_agent_counts(ticket: str) -> None:
    agent, other = AgentFactory.create_batch(2)
    if ticket == "another agent's":
        ticket = ask_to_run(other, now())
    if ticket == "an old one":
        with time_machine.travel(now() - timedelta(minutes=61)):
            ticket = ask_to_run(agent, now())
    with pytest.raises(UnableToRun, match="too old"):
        run_agent(agent, ticket, now())
    assert not ReportRun.objects.exists()


def test_a_tiers_crashed_run_stays_open_for_its_own_tier() -> None:
    at = now() - timedelta(minutes=5)
    crashed = ReportRun.objects.create(frequency="daily", occurrence=at, cutoff=at, started_at=at)
    run_once(agent_of_later())
    assert ReportRun.objects.get(finished_at=None) == crashed
    fire()
    assert not ReportRun.objects.filter(finished_at=None).exists()


def test_one_agent_of_another_tier_is_not_touched() -> None:
    agent = AgentFactory.create(frequency="weekly")
    run_reports("daily", now=now(), only=OneAgent(agent.pk))
    assert ReportRun.objects.get().due == 0
