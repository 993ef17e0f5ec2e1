"""Companies and criteria as the API reads and writes them."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated

from django.conf import settings
from django.urls import reverse
from ninja import Schema
from pydantic import ConfigDict, Field

from listings.criteria import MAX_CODES, MAX_PRICE
from listings.keywords import MAX_KEYWORDS_LENGTH
from listings.models import Company

Code = Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{1,10}$")]
Price = Annotated[Decimal, Field(ge=0, le=MAX_PRICE, max_digits=14, decimal_places=2)]


class CriteriaIn(Schema):
    """What to look for; what is left out does not matter. Prices are in euros."""

    model_config = ConfigDict(extra="forbid")

    industries: list[Code] = Field(default=[], max_length=MAX_CODES, examples=[["C16", "F"]])
    regions: list[Code] = Field(default=[], max_length=MAX_CODES, examples=[["DE-BY", "AT"]])
    price_min: Price | None = None
    price_max: Price | None = None
    keywords: str = Field(default="", max_length=MAX_KEYWORDS_LENGTH)
    include_on_request: bool = True


class CriteriaOut(Schema):
    """What an agent looks for. Prices are in euros, as texts so that no cent is lost."""

    industries: list[str]
    regions: list[str]
    price_min: str | None
    price_max: str | None
    keywords: str
    include_on_request: bool


class CompanyOut(Schema):
    """A company for sale; a price on request is null."""

    id: int
    url: str
    title: str
    industry: str
    region: str
    price: str | None
    currency: str
    published_at: datetime | None
    fresh_at: datetime | None = Field(description="Since when it is news.")

    @classmethod
    def of(cls, company: Company) -> CompanyOut:
        """The company as the API shows it."""
        return cls(
            id=company.pk,
            url=settings.SITE_URL + reverse("listings:company", args=[company.pk]),
            title=company.title,
            industry=company.industry_id,
            region=company.region_id,
            price=None if company.price is None else str(company.price),
            currency=company.currency,
            published_at=company.published_at,
            fresh_at=company.fresh_at,
        )


class CompanyPage(Schema):
    """Companies, newest first; `next` is the `after` of the following page."""

    items: list[CompanyOut]
    next: str | None
