"""The bitmap matcher and `Criteria.q()` give the same companies, on random data."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.db.models import Func
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from agents.matching import WindowCompany, WindowIndex
from listings.criteria import Criteria
from listings.keywords import lexemes_of
from listings.models import Company
from tests.factories import CompanyFactory, industry, region

INDUSTRIES = ["A01", "C10", "C16", "C18", "J62"]
REGIONS = ["AT-2", "AT-9", "DE-BE", "DE-BY", "HR-21"]
WORDS = ["brewery", "breweries", "Brauerei", "Bäckerei", "the", "die", "und", "start-up", "CNC",
         "o'neil", "back\\slash", "20", "hl", "pekara", "ölfrei", "www.firma.example"]  # fmt: skip
NOW = datetime(2026, 11, 29, tzinfo=UTC)

prices = st.none() | st.sampled_from(
    [Decimal(n) for n in ("0.01", "99.99", "100", "100.01", "5e6")]
)
words = st.lists(st.sampled_from(WORDS), max_size=3).map(" ".join)
companies = st.lists(
    st.tuples(
        st.sampled_from(INDUSTRIES), st.sampled_from(REGIONS), prices, words, st.integers(0, 3)
    ),
    max_size=12,
)


@st.composite
def criteria(draw: st.DrawFn) -> Criteria:
    low, high = draw(prices), draw(prices)
    if low is not None and high is not None and low > high:
        low, high = high, low
    return Criteria(
        industries=tuple(draw(st.lists(st.sampled_from([*INDUSTRIES, "A", "C", "X"]), max_size=3))),
        regions=tuple(draw(st.lists(st.sampled_from([*REGIONS, "AT", "DE"]), max_size=3))),
        price_min=low,
        price_max=high,
        keywords=draw(words),
        include_on_request=draw(st.booleans()),
    )


def index_of(keywords: set[str]) -> WindowIndex:
    rows = Company.objects.published(NOW).newest_first().select_related("industry", "region")
    return WindowIndex(
        [
            WindowCompany(
                id=company.pk,
                fresh_at=company.fresh_at or NOW,
                industry=(company.industry_id, company.industry.parent_id or ""),
                region=(company.region_id, company.region.parent_id or ""),
                price_eur=company.price_eur,
                lexemes=company.lexemes,
            )
            for company in rows.annotate(
                lexemes=Func("search_vector", function="tsvector_to_array")
            )
        ],
        lexemes_of(keywords),
    )


class MatcherTest(TestCase):
    @settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(companies=companies, searches=st.lists(criteria(), min_size=1, max_size=6))
    def test_matcher_and_orm_give_the_same_companies_in_the_same_order(
        self, companies: list, searches: list[Criteria]
    ) -> None:
        for code, place, price, text, age in companies:
            CompanyFactory(
                industry=industry(code), region=region(place), price=price, title=f"T {text}",
                description=text, published_at=NOW - timedelta(days=age, seconds=1),
            )  # fmt: skip
        index = index_of({search.keywords for search in searches})
        for search in searches:
            expected = Company.objects.published(NOW).filter(search.q()).newest_first()
            found = index.company_ids(index.matches(search))
            assert found == list(expected.values_list("pk", flat=True)), search


@pytest.mark.django_db
def test_the_random_data_really_matches_something() -> None:
    CompanyFactory(title="Brauerei", description="20 hl", published_at=NOW - timedelta(days=1))
    index = index_of({"brauereien 20"})
    assert index.matches(Criteria(keywords="brauereien 20")).bit_count() == 1
    assert Company.objects.filter(Criteria(keywords="brauereien 20").q()).count() == 1
    assert Company.objects.filter(Criteria(keywords="brauereien 21").q()).count() == 0
