"""What operators change in the admin goes through the rules of the domain."""

import zoneinfo
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.hashers import identify_hasher
from django.test import Client

from agents.models import ReportedCompany, ScheduledMailReport
from listings.freshness import FreshReason
from listings.models import Company, CompanyStatus, ExchangeRate
from marketplace.models import User
from notifications.models import DispatchLimits
from tests.factories import CompanyFactory, UserFactory, industry, region
from tests.factories.agents import AgentFactory

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC)
AGENTS = "/admin/agents/scheduledmailreport/"


@pytest.fixture(autouse=True)
def operator(client: Client) -> User:
    """A signed-in administrator."""
    user = UserFactory.create(is_staff=True, is_superuser=True)
    client.force_login(user)
    return user


def errors_of(response: Any) -> dict[str, list[str]]:
    assert response.status_code == 200
    return dict(response.context["adminform"].form.errors)


def company_form(company: Company, **values: object) -> dict[str, object]:
    published = company.published_at
    return {
        "title": company.title,
        "description": "",
        "industry": company.industry_id,
        "region": company.region_id,
        "price": company.price or "",
        "currency": company.currency,
        "status": company.status,
        "published_at_0": published.date().isoformat() if published else "",
        "published_at_1": published.strftime("%H:%M:%S") if published else "",
        "seller": "",
        "source": "",
        "external_id": "",
        **values,
    }


def test_a_new_person_gets_a_hashed_password(client: Client) -> None:
    secret = "a long quiet harbour 7"
    form = {
        "email": "new@example.com",
        "name": "New",
        "language": "de",
        "usable_password": "true",
        "password1": secret,
        "password2": secret,
        "suspensions-TOTAL_FORMS": 0,
        "suspensions-INITIAL_FORMS": 0,
    }
    assert client.post("/admin/marketplace/user/add/", form).status_code == 302
    person = User.objects.get(email="new@example.com")
    assert person.check_password(secret)
    assert identify_hasher(person.password)
    assert person.language == "de"


def test_an_address_somebody_has_is_an_error_at_the_field(client: Client) -> None:
    UserFactory.create(email="taken@example.com")
    form = {
        "email": "TAKEN@example.com",
        "language": "en",
        "usable_password": "false",
        "suspensions-TOTAL_FORMS": 0,
        "suspensions-INITIAL_FORMS": 0,
    }
    response = client.post("/admin/marketplace/user/add/", form)
    assert list(errors_of(response)) == ["email"]


def user_form(person: User, **values: object) -> dict[str, object]:
    return {
        "email": person.email,
        "name": person.name,
        "language": person.language,
        "time_zone": person.time_zone,
        "mail_hour": person.mail_hour,
        "mail_weekday": person.mail_weekday,
        "mail_day_of_month": person.mail_day_of_month,
        "is_active": "on",
        "suspensions-TOTAL_FORMS": 0,
        "suspensions-INITIAL_FORMS": 0,
        **values,
    }


def test_another_mail_hour_moves_the_persons_agents(client: Client) -> None:
    agent = AgentFactory.create(frequency="daily")
    url = f"/admin/marketplace/user/{agent.user_id}/change/"
    assert client.post(url, user_form(agent.user, mail_hour=18)).status_code == 302
    agent.refresh_from_db()
    berlin = zoneinfo.ZoneInfo("Europe/Berlin")
    assert agent.next_run_at.astimezone(berlin).time() == time(18)


def test_a_person_is_suspended_where_their_account_is_shown(client: Client) -> None:
    person = UserFactory.create()
    form = user_form(
        person,
        **{
            "suspensions-TOTAL_FORMS": 1,
            "suspensions-0-reason": "abuse",
            "suspensions-0-starts_at_0": "2026-11-01",
            "suspensions-0-starts_at_1": "10:00",
        },
    )
    assert client.post(f"/admin/marketplace/user/{person.pk}/change/", form).status_code == 302
    assert [s.reason for s in person.suspensions.all()] == ["abuse"]


def test_publishing_makes_drafts_news_and_leaves_published_ones(client: Client) -> None:
    week_ago = NOW - timedelta(days=7)
    draft = CompanyFactory.create(status=CompanyStatus.DRAFT, published_at=None)
    old = CompanyFactory.create(published_at=week_ago)
    form = {"action": "publish", "_selected_action": [draft.pk, old.pk]}
    response = client.post("/admin/listings/company/", form, follow=True)

    assert "1 company published." in response.content.decode()
    draft.refresh_from_db()
    old.refresh_from_db()
    assert draft.status == CompanyStatus.PUBLISHED
    assert draft.published_at == draft.fresh_at
    assert draft.fresh_at is not None
    assert draft.fresh_at > NOW
    assert draft.fresh_reason == FreshReason.PUBLISHED
    assert old.fresh_at == week_ago


def test_withdrawing_takes_companies_off(client: Client) -> None:
    company = CompanyFactory.create()
    form = {"action": "withdraw", "_selected_action": [company.pk]}
    client.post("/admin/listings/company/", form)
    company.refresh_from_db()
    assert company.status == CompanyStatus.WITHDRAWN


def test_a_price_cut_in_the_admin_is_news(client: Client) -> None:
    company = CompanyFactory.create(price=Decimal(500_000), published_at=NOW - timedelta(days=7))
    form = company_form(company, price="450000.00")
    response = client.post(f"/admin/listings/company/{company.pk}/change/", form)
    assert response.status_code == 302
    company.refresh_from_db()
    assert company.fresh_reason == FreshReason.PRICE_CUT
    assert company.price_before == Decimal(500_000)
    assert company.fresh_at is not None
    assert company.fresh_at > NOW


def test_a_currency_without_rate_is_an_error_at_the_field(client: Client) -> None:
    ExchangeRate.objects.filter(pk="GBP").delete()
    company = CompanyFactory.create()
    url = f"/admin/listings/company/{company.pk}/change/"
    response = client.post(url, company_form(company, currency="GBP"))
    assert list(errors_of(response)) == ["currency"]


def test_a_price_of_nothing_is_refused(client: Client) -> None:
    company = CompanyFactory.create()
    url = f"/admin/listings/company/{company.pk}/change/"
    assert errors_of(client.post(url, company_form(company, price="0")))
    company.refresh_from_db()
    assert company.price == Decimal("500000.00")


def test_a_new_rate_revalues_its_currency_and_nothing_else(client: Client) -> None:
    ExchangeRate.objects.update_or_create(pk="CHF", defaults={"euros": Decimal(1)})
    swiss = CompanyFactory.create(price=Decimal("100000.33"), currency="CHF")
    asked = CompanyFactory.create(price=None, currency="CHF")
    euro = CompanyFactory.create(price=Decimal(100_000))
    fresh_at = swiss.fresh_at
    response = client.post(
        "/admin/listings/exchangerate/CHF/change/", {"euros": "1.055555"}, follow=True
    )
    assert "1 company revalued." in response.content.decode()
    for company in (swiss, asked, euro):
        company.refresh_from_db()
    assert swiss.price_eur == Decimal("105555.85")
    assert (asked.price_eur, euro.price_eur) == (None, Decimal(100_000))
    assert swiss.fresh_at == fresh_at
    assert ExchangeRate.objects.get(pk="CHF").euros == Decimal("1.055555")


@pytest.mark.parametrize("euros", ["0", "-1", "abc", "9999999999"])
def test_a_rate_that_is_none_is_refused(client: Client, euros: str) -> None:
    ExchangeRate.objects.update_or_create(pk="CHF", defaults={"euros": Decimal(1)})
    response = client.post("/admin/listings/exchangerate/CHF/change/", {"euros": euros})
    assert list(errors_of(response)) == ["euros"]


def test_the_rate_of_the_euro_is_one(client: Client) -> None:
    ExchangeRate.objects.update_or_create(pk="EUR", defaults={"euros": Decimal(1)})
    response = client.post("/admin/listings/exchangerate/EUR/change/", {"euros": "1.1"})
    assert list(errors_of(response)) == ["euros"]


def agent_form(**values: object) -> dict[str, object]:
    return {"name": "Sawmills", "frequency": "daily", "include_on_request": "on", **values}


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"industries": "C16, ZZ99"}, "industries"),
        ({"regions": "DE-XX"}, "regions"),
        ({"price_min": "500", "price_max": "400"}, "price_max"),
        ({"price_min": "-1"}, "price_min"),
    ],
)
def test_criteria_that_are_none_are_errors_at_their_fields(
    client: Client, wrong: dict[str, str], field: str
) -> None:
    agent = AgentFactory.create()
    industry("C16")
    response = client.post(f"{AGENTS}{agent.pk}/change/", agent_form(is_active="on", **wrong))
    assert list(errors_of(response)) == [field]


def test_changed_criteria_are_kept_apart_from_what_was_wanted_before(client: Client) -> None:
    agent = AgentFactory.create(keywords="oak", frequency="daily")
    industry("C16")
    region("DE-BY")
    form = agent_form(industries="c16", regions="DE-BY", keywords="beech", frequency="weekly")
    assert client.post(f"{AGENTS}{agent.pk}/change/", form).status_code == 302
    agent.refresh_from_db()
    assert (agent.industries, agent.regions, agent.keywords) == (["C16"], ["DE-BY"], "beech")
    assert agent.former_criteria[0]["criteria"]["keywords"] == "oak"
    assert (agent.frequency, agent.is_active) == ("weekly", False)


def test_an_agent_is_added_for_a_person_up_to_their_limit(client: Client) -> None:
    person = UserFactory.create()
    ScheduledMailReport.objects.filter(user=person).delete()
    DispatchLimits.current()
    DispatchLimits.objects.update(max_agents_per_user=1)

    assert client.post(f"{AGENTS}add/", agent_form(user=person.pk)).status_code == 302
    assert ScheduledMailReport.objects.get(user=person).name == "Sawmills"
    another = agent_form(user=person.pk, name="Planing mills")
    second = client.post(f"{AGENTS}add/", another, follow=True)
    assert "You have 1 search agents, which is the most." in second.content.decode()
    assert ScheduledMailReport.objects.filter(user=person).count() == 1


@pytest.mark.parametrize("way", ["its page", "the list"])
def test_deleting_keeps_the_row_and_what_was_shown(client: Client, way: str) -> None:
    agent = AgentFactory.create()
    ReportedCompany.objects.create(
        agent=agent, user=agent.user, company=CompanyFactory.create(), reported_at=NOW
    )
    if way == "its page":
        response = client.post(f"{AGENTS}{agent.pk}/delete/", {"post": "yes"})
    else:
        action = {"action": "delete_selected", "_selected_action": agent.pk, "post": "yes"}
        response = client.post(AGENTS, action)
    assert response.status_code == 302
    agent.refresh_from_db()
    assert agent.deleted_at is not None
    assert ReportedCompany.objects.filter(agent=agent).count() == 1
    assert client.get(f"{AGENTS}{agent.pk}/change/").status_code == 200  # to look at


def test_the_schedule_of_beat_can_be_changed(client: Client) -> None:
    form = {
        "minute": "*/10",
        "hour": "*",
        "day_of_month": "*",
        "month_of_year": "*",
        "day_of_week": "*",
        "timezone": "Europe/Berlin",
    }
    response = client.post("/admin/django_celery_beat/crontabschedule/add/", form)
    assert response.status_code == 302
