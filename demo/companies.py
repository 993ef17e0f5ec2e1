"""Made-up companies for sale: where, what, how much, and since when they are news.

Pure: the same generator and the same `now` give the same companies.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TypeVar

from demo.catalogue import Area, Trade, areas, trades
from demo.company_texts import CompanyFacts, description_of, title_of
from listings.freshness import FreshReason
from listings.models import CompanyStatus

# Upper ends of age classes in hours, and how many companies of a hundred fall into each.
AGES = ((1, 6), (24, 22), (24 * 7, 30), (24 * 30, 26), (24 * 300, 16))
WRITTEN_IN = {
    "DE": {"de": 92, "en": 8},
    "AT": {"de": 92, "en": 8},
    "CH": {"de": 85, "en": 15},
    "HR": {"hr": 65, "en": 25, "de": 10},
}
# Of sizes, and so of prices: log-normal around what a trade's companies are usually like.
SPREAD = 0.6
ON_REQUEST = 0.12
IN_FRANCS = 0.5
FRANCS_PER_EURO = 0.93
DRAFTS, WITHDRAWN = 0.03, 0.03
# Of those offered for a while.
PRICE_CUTS = 0.12
OLD_ENOUGH_FOR_A_CUT = timedelta(days=4)

Thing = TypeVar("Thing", Area, Trade)


@dataclass(frozen=True, slots=True)
class CompanyPlan:
    """A company as it will be stored."""

    title: str
    description: str
    industry: str
    region: str
    price: Decimal | None
    currency: str
    status: str
    published_at: datetime | None
    fresh_at: datetime | None
    fresh_reason: str
    price_before: Decimal | None


def plan_companies(count: int, rng: random.Random, now: datetime) -> list[CompanyPlan]:
    """`count` companies; as far as that reaches, every trade and every region comes up."""
    kinds = _each_once_then_weighted(trades(), count, rng)
    places = _each_once_then_weighted(areas(), count, rng)
    return [_plan(trade, area, rng, now) for trade, area in zip(kinds, places, strict=True)]


def _each_once_then_weighted(
    things: Sequence[Thing], count: int, rng: random.Random
) -> Iterator[Thing]:
    yield from rng.sample(things, len(things))[:count]
    weights = [thing.weight for thing in things]
    yield from rng.choices(things, weights, k=max(0, count - len(things)))


def _plan(trade: Trade, area: Area, rng: random.Random, now: datetime) -> CompanyPlan:
    size = rng.lognormvariate(0, SPREAD)
    price = None if rng.random() < ON_REQUEST else _rounded(trade.price * 1000 * size)
    currency = "EUR"
    if price is not None and area.country == "CH" and rng.random() < IN_FRANCS:
        price, currency = _rounded(float(price) * FRANCS_PER_EURO), "CHF"
    facts = CompanyFacts(
        trade=trade,
        town=rng.choice(area.towns),
        founded=now.year - rng.randint(6, 70),
        staff=max(2, round(trade.staff * size * rng.uniform(0.8, 1.2))),
        turnover=max(0.1, trade.price / 1000 * size * rng.uniform(0.9, 2.2)),
    )
    language = _language(area.country, rng)
    status, published_at = _publication(rng, now)
    fresh_at, reason, price_before = _freshness(status, published_at, price, rng, now)
    return CompanyPlan(
        title=title_of(facts, language, rng),
        description=description_of(facts, language, rng),
        industry=trade.industry,
        region=area.region,
        price=price,
        currency=currency,
        status=status,
        published_at=published_at,
        fresh_at=fresh_at,
        fresh_reason=reason,
        price_before=price_before,
    )


def _rounded(price: float) -> Decimal:
    """As people name prices."""
    step = 5_000 if price < 500_000 else 10_000 if price < 2_000_000 else 50_000
    return Decimal(max(step, round(price / step) * step)).quantize(Decimal("0.01"))


def _language(country: str, rng: random.Random) -> str:
    languages = WRITTEN_IN[country]
    return rng.choices(list(languages), list(languages.values()))[0]


def _publication(rng: random.Random, now: datetime) -> tuple[str, datetime | None]:
    place = rng.random()
    published_at = now - _age(rng)
    if place < DRAFTS:
        return CompanyStatus.DRAFT.value, None
    if place < DRAFTS + WITHDRAWN:
        return CompanyStatus.WITHDRAWN.value, published_at
    return CompanyStatus.PUBLISHED.value, published_at


def _age(rng: random.Random) -> timedelta:
    """Mostly recent: many of the last day and week, few of the months before."""
    [place] = rng.choices(range(len(AGES)), [share for _, share in AGES])
    start = AGES[place - 1][0] if place else 0.02
    return timedelta(hours=rng.uniform(start, AGES[place][0]))


def _freshness(
    status: str,
    published_at: datetime | None,
    price: Decimal | None,
    rng: random.Random,
    now: datetime,
) -> tuple[datetime | None, str, Decimal | None]:
    """Since when the company is news, why, and its price before a cut."""
    if published_at is None:
        return None, "", None
    is_old = now - published_at > OLD_ENOUGH_FOR_A_CUT
    may_be_cut = is_old and status == CompanyStatus.PUBLISHED
    if price is not None and may_be_cut and rng.random() < PRICE_CUTS:
        cut_at = now - timedelta(hours=rng.uniform(0.1, 72))
        return cut_at, FreshReason.PRICE_CUT.value, _rounded(float(price) * rng.uniform(1.08, 1.3))
    return published_at, FreshReason.PUBLISHED.value, None
