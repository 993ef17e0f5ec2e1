"""When a company counts as new: its publication, a price cut, a corrected industry or region.

Pure: values in, a decision out. `fresh_at` is what the window of a report run looks at
(SPEC A3 and C); people who were shown the company before are kept from it by their own record.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum


class FreshReason(StrEnum):
    """Why a company counts as new; stored in `Company.fresh_reason`."""

    PUBLISHED = "published"
    PRICE_CUT = "price_cut"
    PRICE_NAMED = "named"
    INDUSTRY_CORRECTED = "industry"
    REGION_CORRECTED = "region"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The facts of a company that decide on freshness."""

    is_published: bool
    price: Decimal | None
    currency: str
    industry: str
    region: str
    price_eur: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Freshness:
    """A company became news at `fresh_at`; `price_before` is set by a price cut alone."""

    fresh_at: datetime
    reason: FreshReason
    price_before: Decimal | None = None


def freshness_after_change(
    before: Snapshot, after: Snapshot, now: datetime, published_at: datetime | None = None
) -> Freshness | None:
    """What the change from `before` to `after` at `now` makes of the company's freshness.

    None: the change is no news (a text edit, a price rise, anything on an unpublished company).
    A company published ahead of time (`published_at` in the future) is new from then on.
    """
    if not after.is_published:
        return None
    if not before.is_published:
        return Freshness(max(now, published_at or now), FreshReason.PUBLISHED)
    if published_at and published_at > now:
        return None
    if (news := _price_news(before, after, now)) is not None:
        return news
    if after.industry != before.industry:
        return Freshness(now, FreshReason.INDUSTRY_CORRECTED)
    if after.region != before.region:
        return Freshness(now, FreshReason.REGION_CORRECTED)
    return None


def _price_news(before: Snapshot, after: Snapshot, now: datetime) -> Freshness | None:
    """A price fell, or was named for the first time.

    A named price can bring a company into the range of agents that leave out prices on request.
    Prices in different currencies compare in euros; a change of the exchange rate alone is no news.
    """
    if after.price is None:
        return None
    if before.price is None:
        return Freshness(now, FreshReason.PRICE_NAMED)
    if before.currency == after.currency:
        is_cut = after.price < before.price
        return Freshness(now, FreshReason.PRICE_CUT, before.price) if is_cut else None
    if None not in (before.price_eur, after.price_eur) and after.price_eur < before.price_eur:  # type: ignore[operator]
        return Freshness(now, FreshReason.PRICE_CUT)
    return None


def undoes_price_news(
    before: Snapshot, after: Snapshot, reason: str, price_before: Decimal | None
) -> bool:
    """Whether a change that is no news makes the stored claim "price lowered" or "named" untrue."""
    if reason not in (FreshReason.PRICE_CUT, FreshReason.PRICE_NAMED):
        return False
    if after.price is None or before.currency != after.currency:
        return True
    if reason == FreshReason.PRICE_NAMED:
        return False
    if price_before is None:
        return before.price is not None and after.price > before.price
    return after.price >= price_before
