"""The page of one company: who may see it, and how prices and dates read."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from listings.models import CompanyStatus, ExchangeRate
from tests.factories import CompanyFactory, UserFactory, industry

pytestmark = pytest.mark.django_db


def page(client: Client, pk: int | str, language: str = "en") -> str:
    response = client.get(f"/companies/{pk}/", headers={"accept-language": language})
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize(
    ("language", "price", "day"),
    [
        ("en", "€1,250,000", "Nov. 3, 2026"),
        ("de", "1.250.000\u00a0€", "3. November 2026"),
        ("hr", "1.250.000\u00a0€", "3. studenoga 2026."),
    ],
)
def test_price_and_date_read_as_the_language_writes_them(
    client: Client, language: str, price: str, day: str
) -> None:
    company = CompanyFactory.create(
        price=Decimal(1_250_000), published_at=datetime(2026, 11, 3, 12, tzinfo=UTC)
    )
    html = page(client, company.pk, language)
    assert price in html
    assert day in html
    assert f'<html lang="{language}">' in html


def test_cents_stand_only_where_there_are_any(client: Client) -> None:
    ExchangeRate.objects.update_or_create(pk="CHF", defaults={"euros": Decimal(1)})
    company = CompanyFactory.create(price=Decimal("99500.50"), currency="CHF")
    assert "CHF\u00a099,500.50" in page(client, company.pk)
    assert "99.500,50\u00a0CHF" in page(client, company.pk, "de")


def test_a_company_without_price_says_so(client: Client) -> None:
    company = CompanyFactory.create(price=None)
    assert "Price on request" in page(client, company.pk)


def test_a_lowered_price_shows_the_one_before(client: Client) -> None:
    company = CompanyFactory.create(price=Decimal(500_000))
    company.price = Decimal(450_000)
    company.save()
    html = page(client, company.pk)
    assert "€450,000" in html
    assert "€500,000</s>" in html


def test_text_is_escaped(client: Client) -> None:
    company = CompanyFactory.create(title="<script>alert(1)</script>", description="<img src=x>")
    html = page(client, company.pk)
    assert "<script>alert" not in html
    assert "&lt;img src=x&gt;" in html


@pytest.mark.parametrize("status", [CompanyStatus.DRAFT, CompanyStatus.WITHDRAWN])
def test_an_unpublished_company_is_seen_by_its_seller_and_staff_only(
    client: Client, status: str
) -> None:
    seller, stranger = UserFactory.create(), UserFactory.create()
    staff = UserFactory.create(is_staff=True)
    company = CompanyFactory.create(status=status, seller=seller)
    url = f"/companies/{company.pk}/"

    assert client.get(url).status_code == 404
    for person, expected in ((stranger, 404), (seller, 200), (staff, 200)):
        client.force_login(person)
        assert client.get(url).status_code == expected


def test_a_company_to_be_published_tomorrow_is_not_seen_today(client: Client) -> None:
    company = CompanyFactory.create(published_at=datetime.now(UTC) + timedelta(days=1))
    assert client.get(f"/companies/{company.pk}/").status_code == 404


@pytest.mark.parametrize("pk", ["0", "99999999999999999999999999", "abc", "-1", "%00"])
def test_an_id_that_cannot_be_is_not_found(client: Client, pk: str) -> None:
    response = client.get(f"/companies/{pk}/")
    assert response.status_code == 404
    assert "There is nothing here" in response.content.decode()


def test_a_shared_link_says_what_it_leads_to(client: Client, settings: Settings) -> None:
    settings.SITE_URL = "https://market.example"
    company = CompanyFactory.create(
        title='Oak "&" Sons', description="Beams. " * 100, price=Decimal(500_000)
    )
    html = page(client, company.pk)
    url = f"https://market.example/companies/{company.pk}/"
    assert f'<link rel="canonical" href="{url}">' in html
    assert f'<meta property="og:url" content="{url}">' in html
    assert '<meta property="og:title" content="Oak &quot;&amp;&quot; Sons">' in html
    description = html.partition('<meta name="description" content="')[2].partition('">')[0]
    assert "€500,000. Beams." in description
    assert len(description) < 300


def test_a_price_cut_says_by_how_much_and_since_when(client: Client) -> None:
    company = CompanyFactory.create(price=Decimal(500_000))
    company.price = Decimal(375_000)
    company.save()
    assert "25 % lower since" in page(client, company.pk)


def test_similar_companies_are_the_newest_others_of_the_industry(client: Client) -> None:
    now = datetime.now(UTC)
    company = CompanyFactory.create(industry=industry("C16"))
    for days in range(5):
        CompanyFactory.create(
            title=f"{days} days", industry=industry("C16"), published_at=now - timedelta(days=days)
        )
    CompanyFactory.create(industry=industry("I55"))
    CompanyFactory.create(industry=industry("C16"), status=CompanyStatus.WITHDRAWN)
    similar = client.get(f"/companies/{company.pk}/").context["similar"]
    assert [other.title for other in similar] == ["0 days", "1 days", "2 days"]


def test_more_companies_cost_a_page_no_more_queries(
    client: Client, django_assert_num_queries: Any
) -> None:
    company = CompanyFactory.create()
    for _ in range(2):
        with django_assert_num_queries(2):  # the company, similar ones
            client.get(f"/companies/{company.pk}/")
        CompanyFactory.create_batch(5)


def test_industry_and_region_lead_to_what_else_there_is(client: Client) -> None:
    company = CompanyFactory.create()
    html = page(client, company.pk)
    assert f'href="/companies/?industries={company.industry_id}"' in html
    assert f'href="/companies/?regions={company.region_id}"' in html
