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
    if _is_price_cut(before, after):
        return Freshness(now, FreshReason.PRICE_CUT, before.price)
    if after.industry != before.industry:
        return Freshness(now, FreshReason.INDUSTRY_CORRECTED)
    if after.region != before.region:
        return Freshness(now, FreshReason.REGION_CORRECTED)
    return None


def _is_price_cut(before: Snapshot, after: Snapshot) -> bool:
    """A price in the same currency fell, or a price on request was named.

    Naming a price can bring a company into the range of agents that leave out prices on request.
    """
    if after.price is None:
        return False
    if before.price is None:
        return True
    return before.currency == after.currency and after.price < before.price
