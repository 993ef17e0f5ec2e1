"""The limits stack: companies a mail, mails a run, and never the same company twice (A5–A8)."""

from datetime import UTC, datetime, timedelta

import pytest

from agents.frequency import Frequency
from agents.models import DigestSection, ReportedCompany
from agents.waiting import companies_waiting
from notifications.models import Delivery
from tests.factories import AgentFactory, UserFactory
from tests.firing import fire, fire_and_read, make_due, publish
from tests.limits import set_limits

pytestmark = pytest.mark.django_db


def test_five_matches_and_two_a_mail_take_three_runs_newest_first() -> None:
    set_limits(max_companies=2)
    AgentFactory()
    publish("A", "B", "C", "D", "E")
    mails = [fire_and_read() for _ in range(4)]
    assert mails == [[["E", "D"]], [["C", "B"]], [["A"]], []]


def test_a_newer_company_comes_before_those_that_wait_and_none_is_lost() -> None:
    set_limits(max_companies=2)
    AgentFactory()
    publish("A", "B", "C")
    assert fire_and_read() == [["C", "B"]]
    publish("D", "E", minutes_ago=0.5)
    assert [fire_and_read() for _ in range(3)] == [[["E", "D"]], [["A"]], []]


def test_what_waits_longer_than_the_age_limit_is_dropped() -> None:
    set_limits(max_companies=1, max_listing_age_days=2)
    now = datetime.now(UTC)
    AgentFactory(watching_since=now - timedelta(days=9))
    publish("Too old", minutes_ago=3 * 24 * 60)
    publish("Old enough", minutes_ago=24 * 60)
    publish("New")
    assert [fire_and_read() for _ in range(3)] == [[["New"]], [["Old enough"]], []]


def test_a_mail_says_how_many_wait_and_the_link_leads_to_exactly_those() -> None:
    set_limits(max_companies=2)
    AgentFactory()
    publish("A", "B", "C", "D", "E")
    run = fire()
    section = DigestSection.objects.get()
    assert (run.digests, run.reported, run.waiting, section.waiting) == (1, 2, 3, 3)
    fire_and_read()
    assert [company.title for company in companies_waiting(section)] == ["C", "B", "A"]


def test_ten_mails_a_run_serve_25_people_in_three_firings_longest_waiting_first() -> None:
    set_limits(max_mails_per_run=10)
    now = datetime.now(UTC)
    publish("A")
    people = [UserFactory() for _ in range(25)]
    for place, user in enumerate(people):
        AgentFactory(user=user, next_run_at=now - timedelta(minutes=100 - place))
    served = []
    for _ in range(4):
        run = fire()
        mails = Delivery.objects.filter(subject_id=run.pk).order_by("pk")
        served.append(([mail.user_id for mail in mails], run.deferred))
    ids = [user.pk for user in people]
    assert served == [(ids[:10], 15), (ids[10:20], 5), (ids[20:], 0), ([], 0)]


def test_whoever_was_deferred_goes_before_those_who_became_due_since() -> None:
    set_limits(max_mails_per_run=1)
    now = datetime.now(UTC)
    publish("A")
    first = AgentFactory(next_run_at=now - timedelta(minutes=9))
    second = AgentFactory(next_run_at=now - timedelta(minutes=8))
    fire()
    newcomer = AgentFactory(next_run_at=now - timedelta(minutes=7))
    order = list(Delivery.objects.order_by("pk").values_list("user_id", flat=True))
    for _ in range(2):
        run = fire()
        order += Delivery.objects.filter(subject_id=run.pk).values_list("user_id", flat=True)
    assert order == [first.user_id, second.user_id, newcomer.user_id]


def test_people_without_hits_neither_use_the_budget_nor_block_it() -> None:
    set_limits(max_mails_per_run=1)
    now = datetime.now(UTC)
    publish("A")
    for minutes in range(30, 20, -1):
        AgentFactory(keywords="nowhere", next_run_at=now - timedelta(minutes=minutes))
    hungry = AgentFactory(next_run_at=now - timedelta(minutes=1))
    run = fire()
    assert (run.due, run.digests, run.deferred) == (11, 1, 0)
    assert Delivery.objects.get().user_id == hungry.user_id


def test_two_agents_due_in_one_run_share_a_mail_and_a_company_stands_once() -> None:
    user = UserFactory()
    broad = AgentFactory(user=user)
    narrow = AgentFactory(user=user, keywords="brewery")
    publish("Old brewery", "Mill")
    run = fire()
    rows = ReportedCompany.objects.filter(delivery=Delivery.objects.get())
    listed = {(row.agent_id, row.company.title) for row in rows if row.is_listed}
    assert listed == {(narrow.pk, "Old brewery"), (broad.pk, "Mill")}
    assert {(row.agent_id, row.company.title) for row in rows if not row.is_listed} == {
        (broad.pk, "Old brewery")
    }
    assert (run.matched, run.duplicates, run.reported) == (3, 1, 2)


def test_the_limit_of_companies_counts_for_the_whole_mail() -> None:
    set_limits(max_companies=2)
    user = UserFactory()
    AgentFactory(user=user, keywords="brewery")
    AgentFactory(user=user, keywords="mill")
    publish("Brewery 1", "Mill 1", "Brewery 2", "Mill 2")
    assert [fire_and_read() for _ in range(3)] == [
        [["Mill 2", "Brewery 2"]],
        [["Mill 1", "Brewery 1"]],
        [],
    ]


def test_two_agents_of_different_tiers_mention_a_company_once_in_all() -> None:
    user = UserFactory()
    AgentFactory(user=user, frequency=Frequency.DAILY)
    AgentFactory(user=user, frequency=Frequency.HOURLY)
    publish("A")
    hourly, daily = fire(Frequency.HOURLY), fire(Frequency.DAILY)
    assert (hourly.reported, hourly.duplicates) == (1, 0)
    assert (daily.digests, daily.reported, daily.matched, daily.duplicates) == (0, 0, 1, 1)
    assert ReportedCompany.objects.count() == 1


def test_looking_back_for_late_commits_is_not_counted_as_duplicates() -> None:
    set_limits(late_commit_grace_seconds=7200)
    AgentFactory()
    publish("A", "B")
    fire()
    make_due()
    again = fire()
    assert (again.matched, again.duplicates, again.digests) == (0, 0, 0)


def test_a_company_whose_transaction_was_committed_late_is_not_missed() -> None:
    AgentFactory()
    publish("A")
    fire()
    publish("Committed late", minutes_ago=5)
    assert fire_and_read() == [["Committed late"]]


def test_no_mail_at_all_when_the_limit_is_zero_and_all_of_it_later() -> None:
    set_limits(max_mails_per_run=0)
    AgentFactory()
    publish("A")
    assert (fire().deferred, Delivery.objects.count()) == (1, 0)
    set_limits(max_mails_per_run=1)
    assert fire().digests == 1
