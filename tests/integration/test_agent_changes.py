"""Changing, pausing and resuming agents, and changes of companies: no repeats, no flood (C)."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from agents.editing import (
    UnableToAddAgent,
    change_agent,
    create_agent,
    delete_agent,
    pause_agent,
    resume_agent,
)
from agents.frequency import Frequency
from agents.models import ScheduledMailReport
from listings.criteria import Criteria
from listings.models import Company, CompanyStatus
from tests.factories import AgentFactory, UserFactory, industry, region
from tests.firing import fire, fire_and_read, publish
from tests.limits import set_limits

pytestmark = pytest.mark.django_db


def now() -> datetime:
    return datetime.now(UTC)


def test_another_frequency_repeats_nothing_and_misses_nothing() -> None:
    agent = AgentFactory(frequency=Frequency.DAILY)
    publish("A")
    assert fire_and_read(Frequency.DAILY) == [["A"]]
    publish("B", minutes_ago=0.1)
    change_agent(agent, now=now(), frequency=Frequency.WEEKLY)
    assert fire_and_read(Frequency.DAILY) == []
    assert fire_and_read(Frequency.WEEKLY) == [["B"]]


def test_wider_criteria_bring_no_flood_of_older_companies() -> None:
    agent = AgentFactory(keywords="brewery")
    publish("Mill", "Bakery", "Farm")
    change_agent(agent, now=now(), criteria=Criteria())
    assert fire_and_read() == []
    publish("Inn", minutes_ago=0)
    assert fire_and_read() == [["Inn"]]


def test_an_edit_does_not_lose_what_was_waiting_under_the_old_criteria() -> None:
    set_limits(max_companies=1)
    agent = AgentFactory(keywords="brewery")
    publish("Brewery old", "Mill", "Brewery new")
    assert fire_and_read() == [["Brewery new"]]
    change_agent(agent, now=now(), criteria=Criteria(price_max=Decimal(900_000)))
    change_agent(agent, now=now(), criteria=Criteria(price_max=Decimal(800_000)))
    assert [fire_and_read(), fire_and_read()] == [[["Brewery old"]], []]
    assert ScheduledMailReport.objects.get(pk=agent.pk).former_criteria != []


def test_edits_are_forgotten_once_no_window_reaches_them() -> None:
    set_limits(late_commit_grace_seconds=0)
    agent = AgentFactory(keywords="brewery")
    change_agent(agent, now=now(), criteria=Criteria())
    fire_and_read()
    agent.refresh_from_db()
    assert agent.former_criteria == []


def test_resuming_starts_at_now() -> None:
    agent = AgentFactory()
    publish("A")
    assert fire_and_read() == [["A"]]
    pause_agent(agent, now())
    publish("While paused", minutes_ago=0.1)
    assert fire_and_read() == []
    resume_agent(agent, now())
    assert fire_and_read() == []
    publish("After", minutes_ago=0)
    assert fire_and_read() == [["After"]]


def test_resuming_twice_changes_nothing_the_second_time() -> None:
    agent = pause_agent(AgentFactory(), now())
    first = resume_agent(agent, now())
    second = resume_agent(agent, now())
    assert second.watching_since == first.watching_since


def test_a_deleted_agent_still_keeps_its_companies_from_coming_again() -> None:
    user = UserFactory()
    old = AgentFactory(user=user)
    publish("A")
    assert fire_and_read() == [["A"]]
    delete_agent(old, now())
    AgentFactory(user=user)
    assert fire_and_read() == []


def test_the_limit_of_agents_is_kept_and_explained() -> None:
    set_limits(max_agents_per_user=2)
    user = UserFactory()
    create_agent(user, name="Mine", criteria=Criteria(), frequency="daily", now=now())
    with pytest.raises(UnableToAddAgent, match="You have 2 search agents"):
        create_agent(user, name="More", criteria=Criteria(), frequency="daily", now=now())


def test_a_double_click_makes_one_agent() -> None:
    user = UserFactory()
    first, second = (
        create_agent(user, name="Mine", criteria=Criteria(), frequency="daily", now=now())
        for _ in range(2)
    )
    other = create_agent(user, name="Mine", criteria=Criteria(), frequency="weekly", now=now())
    assert first.pk == second.pk != other.pk


class TestPrices:
    """A price cut is news to whoever was never shown the company, and to nobody else."""

    def test_a_cut_into_the_range_is_news_to_whoever_was_never_shown_it(self) -> None:
        cheap = AgentFactory(price_max=Decimal(400_000))
        dear = AgentFactory()
        publish("A", price=Decimal(500_000))
        fire_and_read()
        company = Company.objects.get()
        company.price = Decimal(390_000)
        company.save()
        run_mails = fire_and_read()
        assert run_mails == [["A"]]
        shown = {row.user_id for row in cheap.reported.all()}
        assert shown == {cheap.user_id}
        assert dear.reported.count() == 1
        assert company.fresh_reason == "price_cut"
        assert company.price_before == Decimal(500_000)

    def test_a_rise_is_no_news(self) -> None:
        AgentFactory(price_min=Decimal(600_000))
        publish("A", price=Decimal(500_000))
        fire_and_read()
        company = Company.objects.get()
        before = company.fresh_at
        company.price = Decimal(700_000)
        company.save()
        assert company.fresh_at == before
        assert fire_and_read() == []

    @pytest.mark.parametrize(
        ("change", "reason"),
        [({"industry": "J62"}, "industry"), ({"region": "HR-21"}, "region")],
    )
    def test_a_corrected_industry_or_region_is_news(
        self, change: dict[str, str], reason: str
    ) -> None:
        AgentFactory(industries=["J"]) if "industry" in change else AgentFactory(regions=["HR"])
        publish("A")
        fire_and_read()
        company = Company.objects.get()
        company.industry = industry(change.get("industry", "C16"))
        company.region = region(change.get("region", "DE-BY"))
        company.save()
        assert company.fresh_reason == reason
        assert fire_and_read() == [["A"]]

    def test_a_draft_published_later_counts_from_its_publication(self) -> None:
        AgentFactory()
        publish("A", status=CompanyStatus.DRAFT, minutes_ago=3 * 24 * 60)
        assert fire_and_read() == []
        company = Company.objects.get()
        company.status = CompanyStatus.PUBLISHED
        company.save()
        assert fire_and_read() == [["A"]]

    def test_a_range_compares_prices_in_euros(self) -> None:
        AgentFactory(price_max=Decimal(100_000))
        publish("Swiss", price=Decimal(100_000), currency="CHF")
        publish("Cheaper", price=Decimal(90_000), currency="CHF")
        rate = Company.objects.get(title="Swiss").price_eur
        assert rate is not None
        assert rate > 100_000
        assert fire_and_read() == [["Cheaper"]]


def test_a_withdrawn_company_is_not_planned() -> None:
    AgentFactory()
    publish("A", "B")
    company = Company.objects.get(title="A")
    company.status = CompanyStatus.WITHDRAWN
    company.save()
    assert fire_and_read() == [["B"]]


def test_a_company_published_ahead_of_time_is_news_only_from_then_on() -> None:
    AgentFactory()
    publish("Tomorrow", minutes_ago=-24 * 60)
    assert fire_and_read() == []
    assert fire().digests == 0
