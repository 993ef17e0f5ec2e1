"""A whole marketplace out of one seed: the same seed, size and `now` give the same plan.

Pure: no database, no clock. `demo.filling` stores what comes out.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime

from demo.companies import CompanyPlan, plan_companies
from demo.people import PersonPlan, plan_anna, plan_people

SEED = 20261129


@dataclass(frozen=True, slots=True)
class Size:
    """How many of each; Anna is one of the people."""

    companies: int = 600
    people: int = 150


@dataclass(frozen=True, slots=True)
class MarketplacePlan:
    """Everything that is to be stored; Anna comes first among the people."""

    companies: list[CompanyPlan]
    people: list[PersonPlan]


def plan_marketplace(size: Size, seed: int, now: datetime) -> MarketplacePlan:
    """The plan of a marketplace as it stands at `now`."""
    rng = random.Random(seed)  # noqa: S311 - nothing here is a secret
    companies = plan_companies(size.companies, rng, now)
    anna = plan_anna(rng, now)
    return MarketplacePlan(companies, [anna, *plan_people(size.people - 1, rng, now)])
