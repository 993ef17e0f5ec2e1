"""What the search page says of its results: how many, where, in which order; and its parts."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from html import unescape

import pytest
from django.test import Client

from listings import search
from listings.models import Industry, Region
from listings.paging import PAGE_SIZE
from tests.factories import CompanyFactory, industry, region

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true", "HX-Target": "results"}


def html_of(client: Client, query: str = "", **headers: str) -> str:
    response = client.get(f"/companies/?{query}", headers=headers)
    assert response.status_code == 200
    return unescape(response.content.decode())


def shown(client: Client, query: str) -> list[str]:
    page = client.get(f"/companies/?{query}").context["page"]
    return [company.title for company in page.companies]


def test_says_how_many_there_are_and_where(client: Client) -> None:
    for code, place in (("C16", "DE-BY"), ("C16", "DE-BE"), ("I55", "DE-BY")):
        CompanyFactory.create(industry=industry(code), region=region(place))
    context = client.get("/companies/").context
    assert (context["found"].count, context["found"].more) == (3, False)
    by_industry = [(link.query, link.count) for link in context["narrower_industries"]]
    assert by_industry == [("industries=C", 2), ("industries=I", 1)]
    # All stand in one country: there is nothing to choose.
    assert context["narrower_regions"] == []
    within = client.get("/companies/?regions=DE&sort=price").context["narrower_regions"]
    assert [(link.query, link.count) for link in within] == [
        ("regions=DE-BY&sort=price", 2),
        ("regions=DE-BE&sort=price", 1),
    ]
    assert ">3 companies</h2>" in html_of(client)


def test_counts_no_further_than_its_limit(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "COUNT_LIMIT", 2)
    for code in ("C16", "I55"):
        CompanyFactory.create(industry=industry(code))
    assert ">2 companies</h2>" in html_of(client)
    CompanyFactory.create()
    assert ">More than 2 companies</h2>" in html_of(client)
    assert client.get("/companies/").context["narrower_industries"] == []


def test_what_is_counted_in_part_is_still_listed_in_order(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "COUNT_LIMIT", 1)
    for title, price in (("dear", 900), ("cheap", 100), ("fair", 500)):
        CompanyFactory.create(title=title, price=Decimal(price))
    assert shown(client, "sort=price&keywords=going") == ["cheap", "fair", "dear"]


def test_each_active_filter_can_be_taken_away_alone(client: Client) -> None:
    for code in ("C16", "C25"):
        CompanyFactory.create(industry=industry(code))
    query = "keywords=going&industries=C16&industries=C25&price_max=1000000&priced_only=on"
    active = client.get(f"/companies/?{query}&sort=price&after=1-1").context["active"]
    rest = "keywords=going"
    assert [(filter.label, filter.query) for filter in active] == [
        (
            industry("C16").name,
            f"{rest}&industries=C25&price_max=1000000&priced_only=on&sort=price",
        ),
        (
            industry("C25").name,
            f"{rest}&industries=C16&price_max=1000000&priced_only=on&sort=price",
        ),
        ("“going”", "industries=C16&industries=C25&price_max=1000000&priced_only=on&sort=price"),
        ("up to €1,000,000", f"{rest}&industries=C16&industries=C25&priced_only=on&sort=price"),
        (
            "only with a stated price",
            f"{rest}&industries=C16&industries=C25&price_max=1000000&sort=price",
        ),
    ]


def test_sorted_by_price_what_is_on_request_comes_last(client: Client) -> None:
    for title, price in (("dear", 900), ("on request", None), ("cheap", 100), ("fair", 500)):
        CompanyFactory.create(title=title, price=price and Decimal(price))
    assert shown(client, "sort=price") == ["cheap", "fair", "dear", "on request"]
    assert shown(client, "sort=price-down") == ["dear", "fair", "cheap", "on request"]
    assert shown(client, "sort=nonsense") == ["fair", "cheap", "on request", "dear"]


@pytest.mark.parametrize("sort", ["newest", "price", "price-down"])
def test_pages_of_every_order_follow_each_other_and_back(client: Client, sort: str) -> None:
    start = datetime.now(UTC) - timedelta(days=1)
    for number in range(2 * PAGE_SIZE + 5):
        price = None if number % 4 == 0 else Decimal(1 + number % 3) + Decimal("0.25")
        CompanyFactory.create(
            title=f"c{number}", price=price, published_at=start + timedelta(seconds=number)
        )
    query, pages = f"sort={sort}", []
    while True:
        page = client.get(f"/companies/?{query}").context["page"]
        pages.append([company.title for company in page.companies])
        if not page.older:
            break
        query = f"sort={sort}&after={page.older}"
    assert [len(titles) for titles in pages] == [PAGE_SIZE, PAGE_SIZE, 5]
    assert len({title for titles in pages for title in titles}) == 2 * PAGE_SIZE + 5
    back = client.get(f"/companies/?sort={sort}&before={page.newer}").context["page"]
    assert [company.title for company in back.companies] == pages[1]
    first = client.get(f"/companies/?sort={sort}&before={back.newer}").context["page"]
    assert [company.title for company in first.companies] == pages[0]
    assert first.newer == ""


def test_nothing_found_gives_advice_for_the_filters_in_force(client: Client) -> None:
    industry("C16")
    html = html_of(client, "keywords=sawmill&industries=C16")
    assert "Use fewer words" in html
    assert "Choose a whole industry" in html
    assert "Choose a whole country" not in html
    assert 'href="/agents/new/?keywords=sawmill&industries=C16"' in html


def test_a_page_beyond_the_last_leads_back_to_the_first(client: Client) -> None:
    CompanyFactory.create()
    html = html_of(client, "regions=DE&after=0-0")
    assert "Nothing more here" in html
    assert 'href="/companies/?regions=DE"' in html


def test_htmx_gets_the_results_alone_and_the_url_without_what_is_empty(client: Client) -> None:
    CompanyFactory.create()
    response = client.get("/companies/?keywords=&price_min=&price_max=900000&x=1", headers=HTMX)
    html = response.content.decode()
    assert html.lstrip().startswith("<section")
    assert 'id="search-form"' not in html
    assert response["HX-Push-Url"] == "/companies/?price_max=900000"
    assert {"HX-Request", "HX-Target"} <= set(response["Vary"].replace(" ", "").split(","))


def test_pauses_while_typing_are_no_pages_of_the_history(client: Client) -> None:
    headers = {**HTMX, "HX-Trigger-Name": "keywords"}
    response = client.get("/companies/?keywords=sawm", headers=headers)
    assert response["HX-Replace-Url"] == "/companies/?keywords=sawm"
    assert "HX-Push-Url" not in response


def test_htmx_gets_errors_with_the_form_they_stand_in(client: Client) -> None:
    response = client.get("/companies/?price_min=cheap", headers=HTMX)
    assert response["HX-Retarget"] == "#search"
    assert "Enter a price in euros" in response.content.decode()


def test_the_back_button_gets_a_whole_page(client: Client) -> None:
    html = html_of(client, "", **HTMX, **{"HX-History-Restore-Request": "true"})
    assert html.startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_a_search_is_only_read(client: Client, method: str) -> None:
    assert getattr(client, method)("/companies/").status_code == 405


def test_the_whole_tree_is_offered(client: Client) -> None:
    form = client.get("/companies/").context["form"]
    assert sum(1 + len(b.children) for b in form.branches("industries")) == Industry.objects.count()
    assert sum(1 + len(b.children) for b in form.branches("regions")) == Region.objects.count()
