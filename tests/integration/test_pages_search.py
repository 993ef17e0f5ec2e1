"""The search page: filters in the URL, errors at fields, paging by position."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.utils import translation

from listings.models import Company, CompanyStatus, Region
from listings.paging import PAGE_SIZE
from tests.factories import CompanyFactory, industry, region

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC)


def titles(client: Client, **query: object) -> list[str]:
    """Titles on the page, in order."""
    response = client.get("/companies/?" + urlencode(query, doseq=True))
    assert response.status_code == 200
    return [company.title for company in response.context["page"].companies]


def errors(client: Client, query: str) -> dict[str, list[str]]:
    """The form's errors; the answer is always a page."""
    response = client.get(f"/companies/?{query}")
    assert response.status_code == 200
    return dict(response.context["form"].errors)


def test_shows_published_companies_newest_first(client: Client) -> None:
    CompanyFactory.create(title="older", published_at=NOW - timedelta(days=2))
    CompanyFactory.create(title="newer", published_at=NOW - timedelta(days=1))
    CompanyFactory.create(title="to come", published_at=NOW + timedelta(days=1))
    CompanyFactory.create(title="draft", status=CompanyStatus.DRAFT, published_at=None)
    CompanyFactory.create(title="gone", status=CompanyStatus.WITHDRAWN)

    assert titles(client) == ["newer", "older"]


def test_filters_by_industry_region_price_and_keywords_together(client: Client) -> None:
    wanted = {"industry": industry("C16"), "region": region("DE-BY"), "price": Decimal(400_000)}
    CompanyFactory.create(title="Sägewerk", **wanted)
    CompanyFactory.create(title="Sägewerk elsewhere", **{**wanted, "region": region("AT-1")})
    CompanyFactory.create(title="Sägewerk dear", **{**wanted, "price": Decimal(900_000)})
    CompanyFactory.create(title="Sägewerk hotel", **{**wanted, "industry": industry("I55")})
    CompanyFactory.create(title="Tischlerei", **wanted)

    query = {"industries": "C", "regions": "DE", "price_max": "500.000", "keywords": "sägewerk"}
    assert titles(client, **query) == ["Sägewerk"]


def test_prices_on_request_can_be_left_out(client: Client) -> None:
    CompanyFactory.create(title="priced")
    CompanyFactory.create(title="on request", price=None)

    assert sorted(titles(client)) == ["on request", "priced"]
    assert titles(client, priced_only="on") == ["priced"]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("industries=ZZ", "industries"),
        ("regions=%00", "regions"),
        ("price_min=cheap", "price_min"),
        ("price_min=-5", "price_min"),
        ("price_min=9e999", "price_min"),
        ("price_max=" + "9" * 29, "price_max"),
        ("price_max=10%20USD", "price_max"),
        ("price_min=NaN", "price_min"),
        ("price_min=500&price_max=400", "price_max"),
        ("keywords=a%00b", "keywords"),
        ("keywords=" + "a" * 201, "keywords"),
    ],
)
def test_hostile_or_wrong_input_is_an_error_at_its_field(
    client: Client, query: str, field: str
) -> None:
    CompanyFactory.create()
    assert list(errors(client, query)) == [field]


@pytest.mark.parametrize(
    "query",
    [
        "page=abc",
        "after=abc&before=%00",
        "after=99999999999999999-999999999999999999",
        "before=0-0",
        "keywords=oak%27%29%3B%20--%20%5C%20%26%7C%21%3A%2A",
        "keywords=oak%F0%9F%8F%AD",
        "keywords=oak%ED%A0%80",
        "&&=&==",
    ],
)
def test_whatever_stands_in_the_url_there_is_a_page(client: Client, query: str) -> None:
    CompanyFactory.create()
    assert errors(client, query) == {}


def test_error_is_told_in_the_language_of_the_page(client: Client) -> None:
    client.cookies["django_language"] = "de"
    response = client.get("/companies/?industries=ZZ")
    with translation.override("de"):
        expected = translation.gettext("%(value)s is not known here.") % {"value": "ZZ"}
    assert expected in response.content.decode()


def test_pages_follow_each_other_without_gap_or_repeat_and_back_again(client: Client) -> None:
    same_moment = NOW - timedelta(days=1)
    for number in range(2 * PAGE_SIZE + 5):
        CompanyFactory.create(title=f"c{number}", published_at=same_moment)
    expected = [f"c{number}" for number in reversed(range(2 * PAGE_SIZE + 5))]

    first = client.get("/companies/?regions=DE").context["page"]
    assert first.newer == ""
    second = client.get(f"/companies/?regions=DE&after={first.older}").context["page"]
    third = client.get(f"/companies/?regions=DE&after={second.older}").context["page"]
    assert third.older == ""
    shown = [c.title for page in (first, second, third) for c in page.companies]
    assert shown == expected

    back = client.get(f"/companies/?before={third.newer}").context["page"]
    assert back.companies == second.companies
    assert client.get(f"/companies/?before={back.newer}").context["page"].companies == (
        first.companies
    )


def test_paging_links_keep_the_filters(client: Client) -> None:
    for _ in range(PAGE_SIZE + 1):
        CompanyFactory.create()
    response = client.get("/companies/?industries=C&industries=C16&keywords=going")
    older = response.context["page"].older
    link = f"?industries=C&amp;industries=C16&amp;keywords=going&amp;after={older}"
    assert f'href="{link}"' in response.content.decode()


def test_neither_companies_nor_pages_cost_more_queries(
    client: Client, django_assert_num_queries: pytest.FixtureRequest
) -> None:
    for _ in range(PAGE_SIZE + 10):
        CompanyFactory.create(industry=industry("C16"), region=region("AT-1"))
    after = client.get("/companies/").context["page"].older
    for url in ("/companies/", f"/companies/?after={after}"):
        with django_assert_num_queries(4):  # type: ignore[operator]  # two trees, a count, a page
            client.get(url)
    Company.objects.all().delete()
    with django_assert_num_queries(3):  # type: ignore[operator]
        client.get("/companies/")


def test_regions_stand_in_the_order_of_their_names_in_the_language(client: Client) -> None:
    Region.objects.exclude(parent=None).delete()
    Region.objects.all().delete()
    for code, name, parent in (
        ("AT", "Österreich", None),
        ("CH", "Schweiz", None),
        ("HR", "Kroatien", None),
        ("HR-01", "Gespanschaft Zagreb", "HR"),
        ("HR-02", "Gespanschaft Krapina", "HR"),
    ):
        names = {"name_de": name, "name_en": code, "name_hr": code, "parent_id": parent}
        Region.objects.create(pk=code, **names)

    response = client.get("/companies/", headers={"accept-language": "de"})
    branches = response.context["form"].fields["regions"].widget.branches
    assert [branch.name for branch in branches] == ["Kroatien", "Österreich", "Schweiz"]
    counties = [name for _, name in branches[0].children]
    assert counties == ["Gespanschaft Krapina", "Gespanschaft Zagreb"]
