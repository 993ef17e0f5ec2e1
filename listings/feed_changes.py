"""What a row of a feed makes of a company: nothing, a change, or a new one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from listings.feeds.rows import FeedRow
from listings.freshness import (
    FreshReason,
    Snapshot,
    freshness_after_change,
    undoes_price_news,
)
from listings.models import Company, CompanyStatus, ExchangeRate, Industry, Region

CENT = Decimal("0.01")
WRITTEN_FIELDS = (
    "title", "description", "industry", "region", "price", "currency", "price_eur", "status",
    "published_at", "fresh_at", "fresh_reason", "price_before", "seller", "updated_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What a row may refer to: known codes, and euros per unit of each currency."""

    industries: frozenset[str]
    regions: frozenset[str]
    rates: Mapping[str, Decimal]

    @classmethod
    def load(cls) -> Catalogue:
        """Three queries, whatever the size of the feed."""
        rates = dict(ExchangeRate.objects.values_list("currency", "euros"))
        return cls(
            frozenset(Industry.objects.values_list("code", flat=True)),
            frozenset(Region.objects.values_list("code", flat=True)),
            {**rates, "EUR": Decimal(1)},
        )

    def lacks(self, row: FeedRow) -> str:
        """What the row refers to that this marketplace does not have; empty if nothing."""
        if row.industry not in self.industries:
            return f"this marketplace has no industry {row.industry}"
        if row.region not in self.regions:
            return f"this marketplace has no region {row.region}"
        if row.price is not None and row.currency not in self.rates:
            return f"no exchange rate for {row.currency} is stored; set it in the admin"
        return ""

    def in_euros(self, price: Decimal | None, currency: str) -> Decimal | None:
        """The price at the stored rate, to the cent; None for a price on request."""
        if price is None:
            return None
        return (price * self.rates[currency]).quantize(CENT, ROUND_HALF_UP)


def apply_row(
    row: FeedRow, company: Company, now: datetime, catalogue: Catalogue, seller_id: int | None
) -> bool:
    """Make the company what the row says, with its freshness; False when it already is.

    `company` is a stored one, or a new one with nothing but its source and external id.
    """
    values = _values(row, company, now, seller_id)
    if all(getattr(company, name) == value for name, value in values.items()):
        return False
    before = _snapshot(company, _was_visible(company, values["published_at"], now))
    for name, value in values.items():
        setattr(company, name, value)
    company.price_eur = catalogue.in_euros(company.price, company.currency)
    after = _snapshot(company, company.status == CompanyStatus.PUBLISHED)
    freshness = freshness_after_change(before, after, now, published_at=company.published_at)
    if freshness:
        company.fresh_at, company.fresh_reason = freshness.fresh_at, freshness.reason
        company.price_before = freshness.price_before
    elif undoes_price_news(before, after, company.fresh_reason, company.price_before):
        company.fresh_reason, company.price_before = FreshReason.PUBLISHED, None
    return True


def is_scheduled(company: Company, now: datetime) -> bool:
    """Whether the company is published, but only from a moment still to come."""
    published_at = company.published_at
    is_published = company.status == CompanyStatus.PUBLISHED
    return is_published and published_at is not None and published_at > now


def _values(row: FeedRow, company: Company, now: datetime, seller_id: int | None) -> dict[str, Any]:
    return {
        "title": row.title,
        "description": row.description,
        "industry_id": row.industry,
        "region_id": row.region,
        "price": row.price,
        "currency": row.currency,
        "status": row.status,
        "published_at": _publication(row, company, now),
        "seller_id": company.seller_id if seller_id is None else seller_id,
    }


def _publication(row: FeedRow, company: Company, now: datetime) -> datetime | None:
    """Since when the company is published: what the row says, else what it was, else now."""
    if row.status == CompanyStatus.DRAFT:
        return None
    if row.published_at or row.status == CompanyStatus.WITHDRAWN:
        return row.published_at or company.published_at
    return company.published_at if company.status == CompanyStatus.PUBLISHED else now


def _was_visible(company: Company, published_at: datetime | None, now: datetime) -> bool:
    """Whether people could see the company and still can after the change.

    One that is or will be scheduled counts as not yet published: its publication is still news.
    """
    if published_at and published_at > now:
        return False
    return company.status == CompanyStatus.PUBLISHED and not is_scheduled(company, now)


def _snapshot(company: Company, is_published: bool) -> Snapshot:
    return Snapshot(
        is_published=is_published,
        price=company.price,
        currency=company.currency,
        industry=company.industry_id,
        region=company.region_id,
        price_eur=company.price_eur,
    )
