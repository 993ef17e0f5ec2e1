"""Companies entered in the admin: prices as people write them, and news from now on."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from listings.models import Company, ExchangeRate
from marketplace.models import User
from tests.factories import AgentFactory, CompanyFactory, UserFactory, industry, region

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC)
ADD = "/admin/listings/company/add/"


@pytest.fixture(autouse=True)
def operator(client: Client) -> User:
    """A signed-in administrator who reads German."""
    user = UserFactory.create(is_staff=True, is_superuser=True, language="de")
    client.force_login(user)
    ExchangeRate.objects.update_or_create(pk="CHF", defaults={"euros": Decimal(1)})
    return user


def form(published_at: datetime | None = None, **values: object) -> dict[str, object]:
    return {
        "title": "Sägewerk",
        "description": "",
        "industry": industry("C16").pk,
        "region": region("DE-BY").pk,
        "price": "",
        "currency": "EUR",
        "status": "published",
        "published_at_0": f"{published_at:%Y-%m-%d}" if published_at else "",
        "published_at_1": f"{published_at:%H:%M:%S}" if published_at else "",
        "seller": "",
        "source": "",
        "external_id": "",
        **values,
    }


def errors_of(response: Any) -> list[str]:
    assert response.status_code == 200
    return list(response.context["adminform"].form.errors)


@pytest.mark.parametrize(
    ("text", "currency", "price"),
    [
        ("90.000,00", "EUR", Decimal(90_000)),
        ("90,000.50", "EUR", Decimal("90000.50")),
        ("90000", "EUR", Decimal(90_000)),
        ("1,2 Mio €", "EUR", Decimal(1_200_000)),
        ("CHF 90'000.–", "CHF", Decimal(90_000)),
        ("90.000", "CHF", Decimal(90_000)),
        ("", "EUR", None),
    ],
)
def test_a_price_is_read_as_people_write_it(
    client: Client, text: str, currency: str, price: Decimal | None
) -> None:
    assert client.post(ADD, form(price=text, currency=currency)).status_code == 302
    company = Company.objects.get()
    assert (company.price, company.currency) == (price, currency)


@pytest.mark.parametrize(
    ("text", "currency"),
    [("90.000 CHF", "EUR"), ("90.000 €", "CHF"), ("viel", "EUR"), ("-5", "EUR")],
)
def test_a_price_that_is_none_or_names_another_currency_is_refused(
    client: Client, text: str, currency: str
) -> None:
    assert errors_of(client.post(ADD, form(price=text, currency=currency))) == ["price"]
    assert not Company.objects.exists()


def test_a_stored_price_is_shown_as_people_write_it_and_saving_changes_nothing(
    client: Client,
) -> None:
    company = CompanyFactory.create(price=Decimal("1250000.50"), currency="CHF")
    url = f"/admin/listings/company/{company.pk}/change/"
    shown = client.get(url).context["adminform"].form["price"].value()
    assert shown == "1.250.000,50"
    client.post(url, form(price=shown, currency="CHF", published_at=company.published_at))
    company.refresh_from_db()
    assert company.price == Decimal("1250000.50")
    assert company.price_before is None


def test_a_new_company_with_an_earlier_date_is_news_from_now_on(client: Client) -> None:
    month_ago = NOW - timedelta(days=30)
    assert client.post(ADD, form(published_at=month_ago)).status_code == 302
    company = Company.objects.get()
    assert company.published_at is not None
    assert company.fresh_at is not None
    assert company.published_at < NOW - timedelta(days=29)
    assert company.fresh_at >= NOW
    assert company.fresh_reason == "published"


def test_a_new_company_with_a_date_ahead_is_news_from_then_on(client: Client) -> None:
    assert client.post(ADD, form(published_at=NOW + timedelta(days=3))).status_code == 302
    company = Company.objects.get()
    assert company.fresh_at == company.published_at


def test_a_new_company_without_a_date_is_published_now(client: Client) -> None:
    assert client.post(ADD, form()).status_code == 302
    company = Company.objects.get()
    assert company.fresh_at == company.published_at
    assert company.fresh_at is not None
    assert company.fresh_at >= NOW


def test_a_draft_is_no_news(client: Client) -> None:
    form_of_draft = form(published_at=NOW - timedelta(days=30), status="draft")
    assert client.post(ADD, form_of_draft).status_code == 302
    assert Company.objects.get().fresh_at is None


def test_the_prices_of_an_agent_are_read_alike(client: Client) -> None:
    agent = AgentFactory.create()
    values = {"name": "A", "frequency": "daily", "price_min": "90.000,00", "price_max": "1,2 Mio"}
    url = f"/admin/agents/scheduledmailreport/{agent.pk}/change/"
    assert client.post(url, values).status_code == 302
    agent.refresh_from_db()
    assert (agent.price_min, agent.price_max) == (Decimal(90_000), Decimal(1_200_000))
