"""The limits stack: companies a mail, mails a run, and never the same company twice (A5–A8)."""

from datetime import UTC, datetime, timedelta

import pytest

from agents.frequency import Frequency
from agents.models import DigestSection, ReportedCompany, ReportRun, ScheduledMailReport
from agents.runs import run_reports
from notifications.models import Delivery
from tests.factories import AgentFactory, CompanyFactory, UserFactory
from tests.limits import set_limits

pytestmark = pytest.mark.django_db


def fire(frequency: str = Frequency.DAILY, **moments: datetime) -> ReportRun:
    """One firing now, or as of `at`."""
    result = run_reports(frequency, now=datetime.now(UTC), **moments)
    return ReportRun.objects.get(pk=result.run_id)


def make_due(*frequencies: str) -> None:
    """Every agent is due again, as if its time had come."""
    ScheduledMailReport.objects.filter(is_default=False).update(
        next_run_at=datetime.now(UTC) - timedelta(minutes=1)
    )


def titles_shown(delivery: Delivery) -> list[str]:
    rows = ReportedCompany.objects.filter(delivery=delivery, is_listed=True)
    return list(rows.order_by("-company__fresh_at").values_list("company__title", flat=True))


def publish(*titles: str, minutes_apart: int = 1, **fields: object) -> None:
    """Companies published one after the other, the last named last."""
    start = datetime.now(UTC) - timedelta(hours=1)
    for place, title in enumerate(titles):
        CompanyFactory(
            title=title, published_at=start + timedelta(minutes=place * minutes_apart), **fields
        )


def test_five_matches_and_two_a_mail_take_three_runs_newest_first() -> None:
    set_limits(max_companies=2)
    AgentFactory()
    publish("A", "B", "C", "D", "E")
    mails = []
    for _ in range(4):
        make_due()
        run = fire()
        mails += [titles_shown(mail) for mail in Delivery.objects.filter(subject_id=run.pk)]
    assert mails == [["E", "D"], ["C", "B"], ["A"]]


def test_a_mail_says_how_many_wait_and_the_link_leads_to_exactly_those() -> None:
    from agents.waiting import companies_waiting

    set_limits(max_companies=2)
    AgentFactory()
    publish("A", "B", "C", "D", "E")
    run = fire()
    section = DigestSection.objects.get()
    assert (run.digests, run.reported, run.waiting, section.waiting) == (1, 2, 3, 3)
    make_due()
    fire()
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
        users = Delivery.objects.filter(subject_id=run.pk).order_by("pk")
        served.append(([mail.user_id for mail in users], run.deferred))
    ids = [user.pk for user in people]
    assert served == [(ids[:10], 15), (ids[10:20], 5), (ids[20:], 0), ([], 0)]


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
    delivery = Delivery.objects.get()
    rows = ReportedCompany.objects.filter(delivery=delivery)
    listed = {(row.agent_id, row.company.title) for row in rows if row.is_listed}
    assert listed == {(narrow.pk, "Old brewery"), (broad.pk, "Mill")}
    assert {(row.agent_id, row.company.title) for row in rows if not row.is_listed} == {
        (broad.pk, "Old brewery")
    }
    assert (run.matched, run.duplicates, run.reported) == (3, 1, 2)


def test_two_agents_of_different_tiers_mention_a_company_once_in_all() -> None:
    user = UserFactory()
    AgentFactory(user=user, frequency=Frequency.DAILY)
    AgentFactory(user=user, frequency=Frequency.HOURLY)
    publish("A")
    hourly, daily = fire(Frequency.HOURLY), fire(Frequency.DAILY)
    assert (hourly.reported, hourly.duplicates) == (1, 0)
    assert (daily.digests, daily.reported, daily.matched, daily.duplicates) == (0, 0, 1, 1)
    assert ReportedCompany.objects.count() == 1
