"""What made-up people look for. Searches of one person overlap, as those of real people do."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache

from agents.frequency import Frequency
from demo.catalogue import Trade, areas, trades
from listings.criteria import EVERYTHING, Criteria
from listings.taxonomy import TaxonomyNode, industries, regions

PERIODS = {
    Frequency.HOURLY: timedelta(hours=1),
    Frequency.DAILY: timedelta(days=1),
    Frequency.WEEKLY: timedelta(days=7),
    Frequency.MONTHLY: timedelta(days=30),
}
SHARES = {Frequency.HOURLY: 18, Frequency.DAILY: 36, Frequency.WEEKLY: 28, Frequency.MONTHLY: 18}
HOME = {"de": ("DE", "AT", "CH"), "en": ("DE", "CH", "HR"), "hr": ("HR", "AT")}
KEYWORDS = {
    "de": ("Onlineshop", "Werkstatt", "Hotels", "Wartung", "Stammkunden", "Fuhrpark"),
    "en": ("online shop", "hotels", "contracts", "fleet", "customers"),
    "hr": ("ugovori", "kupci", "restoran", "moderna oprema", "vozni park"),
}
NAMES = {
    "de": ("{what}, {where}", "Zukauf {where}: {what}", "{what}", "Für Kunden: {what}"),
    "en": ("{what}, {where}", "Add-on {where}: {what}", "{what}", "For clients: {what}"),
    "hr": ("{what}, {where}", "Akvizicija, {where}: {what}", "{what}", "Za klijente: {what}"),
}
STAYS_WITH_THE_TRADE = 0.8
BROAD, NARROWED = 0.1, 0.65
MAX_WAIT_MINUTES = 55
LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """A search agent as it will be stored; it ran one period ago and is due."""

    name: str
    criteria: Criteria
    frequency: str
    due_at: datetime
    told_until: datetime
    is_active: bool = True


def any_trade(rng: random.Random) -> Trade:
    """What somebody may be interested in; common trades more often."""
    return rng.choices(trades(), [trade.weight for trade in trades()])[0]


def plan_searches(
    focus: Trade, language: str, rng: random.Random, now: datetime
) -> list[SearchPlan]:
    """None to four searches of one person, most of them around `focus`."""
    [count] = rng.choices(range(5), (20, 30, 24, 16, 10))
    plans: dict[str, SearchPlan] = {}
    for _ in range(count):
        trade = focus if rng.random() < STAYS_WITH_THE_TRADE else any_trade(rng)
        [frequency] = rng.choices(list(SHARES), list(SHARES.values()))
        criteria = _criteria(trade, language, rng)
        name = _named(trade, criteria, language, rng)
        # Nobody gives two searches one name.
        plans.setdefault(name, search(name, criteria, frequency, rng, now))
    return list(plans.values())


def plan_default_search(
    focus: Trade, language: str, rng: random.Random, now: datetime
) -> SearchPlan:
    """What became of the search that everybody starts with: kept, narrowed, or switched off."""
    place = rng.random()
    is_narrowed = BROAD <= place < BROAD + NARROWED
    criteria = _criteria(focus, language, rng) if is_narrowed else EVERYTHING
    name = _named(focus, criteria, language, rng) if is_narrowed else ""
    is_active = place < BROAD + NARROWED
    return search(name, criteria, Frequency.WEEKLY, rng, now, is_active=is_active)


def search(
    name: str,
    criteria: Criteria,
    frequency: Frequency,
    rng: random.Random,
    now: datetime,
    *,
    is_active: bool = True,
) -> SearchPlan:
    """A search whose last run lies one period back; an empty name keeps the given one."""
    due_at = now - timedelta(minutes=rng.uniform(1, MAX_WAIT_MINUTES))
    return SearchPlan(name, criteria, frequency.value, due_at, now - PERIODS[frequency], is_active)


def _named(trade: Trade, criteria: Criteria, language: str, rng: random.Random) -> str:
    """A name as people give it: what, and where."""
    where = ", ".join(_name(code, language) for code in criteria.regions[:2])
    if criteria.keywords:
        what = criteria.keywords[:1].upper() + criteria.keywords[1:]
    elif criteria.industries == (trade.industry,):
        what = trade.name[language]
    else:
        what = _name(criteria.industries[0], language)
    return rng.choice(NAMES[language]).format(what=what, where=where)[:LONGEST_NAME]


def _name(code: str, language: str) -> str:
    return str(getattr(_nodes()[code], f"name_{language}"))


@cache
def _nodes() -> dict[str, TaxonomyNode]:
    return {node.code: node for node in (*industries(), *regions())}


def _criteria(trade: Trade, language: str, rng: random.Random) -> Criteria:
    """Around a trade: its division or section, a country or some of its parts, what one can pay."""
    country = rng.choice(HOME[language])
    parts = [area.region for area in areas() if area.country == country]
    price_max = rng.choice((None, None, 500_000, 1_000_000, 2_500_000))
    by_keywords = rng.random() < 0.2
    section = trade.industry[0]
    found: Sequence[str] = rng.choice(((trade.industry,), (section,), (section,)))
    return Criteria(
        industries=() if by_keywords else tuple(found),
        regions=tuple(rng.sample(parts, 4)) if rng.random() < 0.3 else (country,),
        price_max=None if price_max is None else Decimal(price_max),
        keywords=rng.choice(KEYWORDS[language]) if by_keywords else "",
        include_on_request=rng.random() < 0.8,
    )
