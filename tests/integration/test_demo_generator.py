"""The generator of the demonstration: plausible, the same from the same seed, and once only."""

import random
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from allauth.account.models import EmailAddress
from django.utils import timezone

from agents.frequency import Frequency
from agents.models import ScheduledMailReport
from agents.runs import run_reports
from demo.catalogue import areas, trades
from demo.companies import plan_companies
from demo.filling import Filled, fill
from demo.generator import Size, plan_marketplace
from demo.names import address_for
from demo.people import Standing
from listings.models import Company, CompanyStatus, Industry, Region
from marketplace.models import Suspension, User
from notifications.eligibility import eligible
from notifications.models import Delivery, DispatchLimits, SpamReport, Suppression
from tests.limits import set_limits

NOW = datetime(2026, 11, 29, 18, 0, tzinfo=UTC)
SMALL = Size(companies=120, people=40)


def test_the_same_seed_gives_the_same_marketplace() -> None:
    assert plan_marketplace(SMALL, 1, NOW) == plan_marketplace(SMALL, 1, NOW)


def test_another_seed_gives_another_marketplace() -> None:
    one, two = plan_marketplace(SMALL, 1, NOW), plan_marketplace(SMALL, 2, NOW)
    assert one.companies != two.companies
    assert one.people != two.people


def test_every_trade_and_every_region_comes_up() -> None:
    companies = plan_companies(600, random.Random(1), NOW)
    assert {company.industry for company in companies} == {trade.industry for trade in trades()}
    assert {company.region for company in companies} == {area.region for area in areas()}


@pytest.mark.django_db
def test_the_catalogue_knows_only_divisions_and_subdivisions_of_the_marketplace() -> None:
    divisions = set(Industry.objects.exclude(parent=None).values_list("code", flat=True))
    parts = set(Region.objects.exclude(parent=None).values_list("code", flat=True))
    assert {trade.industry for trade in trades()} <= divisions
    assert {area.region for area in areas()} == parts


def test_recent_days_bring_more_companies_than_earlier_ones() -> None:
    published = [c for c in plan_companies(2000, random.Random(1), NOW) if c.published_at]
    ages = [NOW - company.published_at for company in published if company.published_at]
    days = Counter(age.days for age in ages)
    assert all(age > timedelta(0) for age in ages)
    assert days[0] > days[3] > days[20] > 0


def test_prices_cuts_and_currencies_are_as_in_a_real_marketplace() -> None:
    companies = plan_companies(1000, random.Random(1), NOW)
    statuses = Counter(company.status for company in companies)
    assert statuses["published"] > 900
    assert min(statuses["draft"], statuses["withdrawn"]) >= 10
    francs = [company for company in companies if company.currency == "CHF"]
    assert francs
    assert all(company.region.startswith("CH") for company in francs)
    assert 60 < sum(company.price is None for company in companies) < 200
    cuts = [company for company in companies if company.price_before]
    assert len(cuts) >= 20
    for company in cuts:
        assert company.price is not None
        assert company.price_before is not None
        assert company.price < company.price_before
        assert company.fresh_reason == "price_cut"
        assert company.fresh_at is not None
        assert company.published_at is not None
        assert company.published_at < company.fresh_at < NOW


def test_addresses_can_never_reach_anybody() -> None:
    people = plan_marketplace(Size(companies=1, people=300), 1, NOW).people
    assert len({person.email for person in people}) == 300
    for person in people:
        assert person.email.isascii()
        assert person.email.endswith(("@example.com", ".example", ".test"))


def test_a_name_becomes_a_plain_address() -> None:
    assert address_for("Jörg Weiß", "example.com") == "joerg.weiss@example.com"
    assert address_for("Đurđica Kovačević", "example.com") == "durdica.kovacevic@example.com"


def test_everybody_has_one_to_five_agents_and_every_standing_occurs() -> None:
    people = plan_marketplace(Size(companies=1, people=150), 1, NOW).people
    assert {len(person.searches) for person in people} == {0, 1, 2, 3, 4}
    standings = Counter(person.standing for person in people)
    assert set(standings) == set(Standing)
    assert standings[Standing.GOOD] > 120
    tiers = Counter(search.frequency for person in people for search in person.searches)
    assert set(tiers) == set(Frequency.values)


@pytest.mark.django_db
def test_what_is_planned_is_stored() -> None:
    now = timezone.now()
    filled = fill(SMALL, now=now, seed=1)
    plan = plan_marketplace(SMALL, 1, now)
    searches = sum(len(person.searches) for person in plan.people)
    assert filled == Filled(companies=120, people=40, agents=40 + searches)
    assert Company.objects.filter(source="demo").count() == 120
    # The administrator, too, has a default agent; nobody made any for them.
    assert User.objects.count() == 41
    assert ScheduledMailReport.objects.count() == 41 + searches
    assert ScheduledMailReport.objects.filter(is_default=True).count() == 41
    assert set(Company.objects.values_list("title", flat=True)) == {
        company.title for company in plan.companies
    }
    francs = Company.objects.filter(currency="CHF", price__isnull=False).first()
    assert francs is not None
    assert francs.price is not None
    assert francs.price_eur is not None
    assert francs.price_eur > francs.price


@pytest.mark.django_db
def test_filling_again_adds_nothing() -> None:
    fill(SMALL, now=timezone.now(), seed=1)
    before = [model.objects.count() for model in (Company, User, ScheduledMailReport, SpamReport)]
    next_runs = set(ScheduledMailReport.objects.values_list("pk", "next_run_at"))
    again = fill(Size(companies=500, people=90), now=timezone.now(), seed=2)
    assert again == Filled()
    assert before == [
        model.objects.count() for model in (Company, User, ScheduledMailReport, SpamReport)
    ]
    assert next_runs == set(ScheduledMailReport.objects.values_list("pk", "next_run_at"))


@pytest.mark.django_db
def test_only_people_in_good_standing_may_get_mail() -> None:
    now = timezone.now()
    fill(SMALL, now=now, seed=1)
    plan = plan_marketplace(SMALL, 1, now)
    good = {person.email for person in plan.people if person.standing is Standing.GOOD}
    allowed = set(eligible(timezone.now()).values_list("email", flat=True))
    assert allowed == {*good, "admin@example.com"}
    assert Suspension.objects.filter(ends_at=None).count() == 1
    assert Suspension.objects.filter(ends_at__isnull=False).count() == 1
    assert SpamReport.objects.get().email.isupper()
    assert Suppression.objects.get().cause == "bounce"


@pytest.mark.django_db
def test_all_agents_that_are_on_are_due_and_look_back_one_period() -> None:
    now = timezone.now()
    fill(SMALL, now=now, seed=1)
    agents = ScheduledMailReport.objects.filter(is_active=True).exclude(
        user__email="admin@example.com"
    )
    hours = {"hourly": 1, "daily": 24, "weekly": 24 * 7, "monthly": 24 * 30}
    for agent in agents.select_related("user"):
        assert agent.next_run_at < now
        back = timedelta(hours=hours[agent.frequency])
        waiting = timedelta(hours=1 if agent.user.email == "anna@example.com" else 0)
        assert agent.matched_until == agent.last_run_at == now - back - waiting
    assert ScheduledMailReport.objects.filter(is_active=False, is_default=True).exists()


@pytest.mark.django_db
def test_filling_sends_no_mail() -> None:
    fill(SMALL, now=timezone.now(), seed=1)
    assert not Delivery.objects.exists()


@pytest.mark.django_db
def test_both_log_ins_work_and_nobody_else_has_a_password() -> None:
    fill(SMALL, now=timezone.now(), seed=1)
    for email in ("admin@example.com", "anna@example.com"):
        assert User.objects.get(email=email).check_password("marktlotse-demo")
        assert EmailAddress.objects.get(email=email).verified
    assert User.objects.filter(is_superuser=True).get().email == "admin@example.com"
    assert sum(user.has_usable_password() for user in User.objects.all()) == 2
    anna = User.objects.get(email="anna@example.com")
    assert anna.language == "de"
    assert set(anna.agents.values_list("frequency", flat=True)) == set(Frequency.values)


@pytest.mark.django_db
def test_somebody_who_was_there_before_is_left_alone() -> None:
    User.objects.create_user("Anna@example.com", "a password of her own", name="Another Anna")
    filled = fill(SMALL, now=timezone.now(), seed=1)
    assert filled.people == 39
    anna = User.objects.get(email__iexact="anna@example.com")
    assert anna.name == "Another Anna"
    assert anna.check_password("a password of her own")
    assert anna.agents.count() == 1


@pytest.mark.django_db
def test_limits_are_set_so_that_some_people_are_deferred() -> None:
    now = timezone.now()
    fill(SMALL, now=now, seed=1)
    limits = DispatchLimits.current()
    assert limits.max_companies == 6
    counters = run_reports("weekly", now=now, dry_run=True).counters
    assert counters.digests == limits.max_mails_per_run
    assert 0 < counters.deferred < counters.digests


@pytest.mark.django_db
def test_limits_that_somebody_set_stay() -> None:
    set_limits(lease_seconds=60)
    fill(SMALL, now=timezone.now(), seed=1)
    limits = DispatchLimits.current()
    assert (limits.max_companies, limits.max_mails_per_run) == (10, 5000)


@pytest.mark.django_db
def test_drafts_are_no_news() -> None:
    fill(SMALL, now=timezone.now(), seed=1)
    drafts = Company.objects.filter(status=CompanyStatus.DRAFT)
    assert drafts.exists()
    assert not drafts.exclude(published_at=None, fresh_at=None).exists()
