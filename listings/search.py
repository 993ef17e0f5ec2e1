"""What a search finds: a page, how many there are, and where they lie.

Nothing is counted beyond `COUNT_LIMIT`: whoever finds more has to narrow the search down anyway,
and a search over everything costs no more than one that finds a thousand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from listings.criteria import Criteria
from listings.models import Company
from listings.ordering import Order
from listings.paging import Page, page_of

COUNT_LIMIT = 1_000
SIMILAR = 3


@dataclass(frozen=True, slots=True)
class Found:
    """A page of companies; `count` is exact unless there are `more`, and then there are no places.

    `industries` and `regions` say how many of the companies stand at each code.
    """

    page: Page
    count: int = 0
    more: bool = False
    industries: Mapping[str, int] = field(default_factory=dict)
    regions: Mapping[str, int] = field(default_factory=dict)


def find(
    criteria: Criteria, order: Order, now: datetime, *, after: str = "", before: str = ""
) -> Found:
    """The companies that meet the criteria at `now`, a page of them in this order.

    Two queries, and one more for keywords.
    """
    matching = Company.objects.published(now).filter(criteria.q())
    hits = list(
        matching.order_by().values_list("pk", "industry_id", "region_id")[: COUNT_LIMIT + 1]
    )
    more = len(hits) > COUNT_LIMIT
    if not more:
        # By their ids: PostgreSQL thinks rare words more frequent than they are, and would look
        # for them all along the order.
        matching = Company.objects.published(now).filter(pk__in=[pk for pk, *_ in hits])
    page = page_of(
        matching.select_related("industry", "region"), after=after, before=before, order=order
    )
    if more:
        return Found(page, COUNT_LIMIT, more=True)
    return Found(
        page,
        len(hits),
        industries=Counter(industry for _, industry, _ in hits),
        regions=Counter(region for *_, region in hits),
    )


def similar_to(company: Company, now: datetime) -> list[Company]:
    """The newest others of the same industry; one query."""
    same = Company.objects.published(now).filter(industry=company.industry_id)
    others = same.exclude(pk=company.pk).select_related("industry", "region")
    return list(others.newest_first()[:SIMILAR])
