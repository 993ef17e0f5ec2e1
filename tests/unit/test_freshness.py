"""What makes a company news again, and what does not (C)."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from listings.freshness import (
    Freshness,
    FreshReason,
    Snapshot,
    freshness_after_change,
    undoes_price_news,
)

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
PUBLISHED = Snapshot(
    is_published=True, price=Decimal(500), currency="EUR", industry="C16", region="DE-BY"
)


@pytest.mark.parametrize(
    ("change", "reason", "price_before"),
    [
        ({"price": Decimal("499.99")}, FreshReason.PRICE_CUT, Decimal(500)),
        ({"industry": "C31"}, FreshReason.INDUSTRY_CORRECTED, None),
        ({"region": "DE-BW"}, FreshReason.REGION_CORRECTED, None),
        ({"price": Decimal(400), "region": "DE-BW"}, FreshReason.PRICE_CUT, Decimal(500)),
    ],
)
def test_news_again(
    change: dict[str, object], reason: FreshReason, price_before: Decimal | None
) -> None:
    after = replace(PUBLISHED, **change)  # type: ignore[arg-type]
    assert freshness_after_change(PUBLISHED, after, NOW) == Freshness(NOW, reason, price_before)


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"price": Decimal(501)},
        {"price": None},
        {"price": Decimal(400), "currency": "CHF"},
        {"price": Decimal(400), "is_published": False},
    ],
)
def test_no_news(change: dict[str, object]) -> None:
    after = replace(PUBLISHED, **change)  # type: ignore[arg-type]
    assert freshness_after_change(PUBLISHED, after, NOW) is None


def test_a_price_named_for_the_first_time_is_news_without_a_price_before() -> None:
    on_request = replace(PUBLISHED, price=None)
    assert freshness_after_change(on_request, PUBLISHED, NOW) == Freshness(
        NOW, FreshReason.PRICE_NAMED
    )


@pytest.mark.parametrize(("euros", "is_news"), [(Decimal("499.99"), True), (Decimal(500), False)])
def test_a_cut_with_another_currency_is_judged_in_euros(euros: Decimal, is_news: bool) -> None:
    before = replace(PUBLISHED, price_eur=Decimal(500))
    after = replace(before, price=Decimal(550), currency="USD", price_eur=euros)
    expected = Freshness(NOW, FreshReason.PRICE_CUT) if is_news else None
    assert freshness_after_change(before, after, NOW) == expected


@pytest.mark.parametrize(
    ("change", "reason", "price_before", "is_undone"),
    [
        ({"price": Decimal(600)}, "price_cut", Decimal(550), True),
        ({"price": Decimal(550)}, "price_cut", Decimal(550), True),
        ({"price": Decimal(540)}, "price_cut", Decimal(550), False),
        ({"price": Decimal(501)}, "price_cut", None, True),
        ({}, "price_cut", None, False),
        ({"price": None}, "price_cut", Decimal(550), True),
        ({"currency": "CHF"}, "price_cut", Decimal(550), True),
        ({"price": Decimal(600)}, "named", None, False),
        ({"price": Decimal(600)}, "published", None, False),
    ],
)
def test_a_claim_about_the_price_goes_when_it_is_not_true_any_more(
    change: dict[str, object], reason: str, price_before: Decimal | None, is_undone: bool
) -> None:
    after = replace(PUBLISHED, **change)  # type: ignore[arg-type]
    assert undoes_price_news(PUBLISHED, after, reason, price_before) is is_undone


@pytest.mark.parametrize(("days", "expected"), [(-3, 0), (3, 3)])
def test_publication_counts_from_now_or_from_a_date_ahead(days: int, expected: int) -> None:
    draft = replace(PUBLISHED, is_published=False)
    published_at = NOW + timedelta(days=days)
    assert freshness_after_change(draft, PUBLISHED, NOW, published_at) == Freshness(
        NOW + timedelta(days=expected), FreshReason.PUBLISHED
    )
