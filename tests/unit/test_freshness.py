"""What makes a company news again, and what does not (C)."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from listings.freshness import Freshness, FreshReason, Snapshot, freshness_after_change

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
        NOW, FreshReason.PRICE_CUT
    )


@pytest.mark.parametrize(("days", "expected"), [(-3, 0), (3, 3)])
def test_publication_counts_from_now_or_from_a_date_ahead(days: int, expected: int) -> None:
    draft = replace(PUBLISHED, is_published=False)
    published_at = NOW + timedelta(days=days)
    assert freshness_after_change(draft, PUBLISHED, NOW, published_at) == Freshness(
        NOW + timedelta(days=expected), FreshReason.PUBLISHED
    )
