"""What an agent would find: shown while its criteria are being typed, before anything is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db.models import Q, QuerySet

from agents.frequency import Frequency
from agents.muting import not_muted_by
from listings.criteria import Criteria, with_children
from listings.models import Company, Industry, Region
from marketplace.models import User
from notifications.models import DispatchLimits

COUNTED_UP_TO = 500
"""More matches are not counted: their exact number helps nobody, and counting takes time."""
SAMPLE = 100
"""So many of the newest tell how many a week come, where as many came in the last 90 days."""
SHORTEST = timedelta(minutes=1)
LOOKED_BACK = timedelta(days=90)
WEEK = timedelta(days=7)
NEWEST = 3
BETWEEN_MAILS = {
    Frequency.HOURLY: timedelta(hours=1),
    Frequency.DAILY: timedelta(days=1),
    Frequency.WEEKLY: WEEK,
    Frequency.MONTHLY: timedelta(days=30),
}


@dataclass(frozen=True, slots=True)
class Preview:
    """What criteria match now, and what to expect of them."""

    matching: int
    """At most COUNTED_UP_TO; `is_more` when there are more."""
    is_more: bool
    a_week: float
    a_mail: float
    newest: Sequence[Company]
    max_companies: int
    is_too_narrow: bool
    """Nothing came in the last 90 days."""

    @property
    def is_too_broad(self) -> bool:
        """A usual mail could not hold what is new."""
        return self.a_mail > self.max_companies


def preview_of(user: User, criteria: Criteria, frequency: str, now: datetime) -> Preview:
    """The preview of criteria for a person; what they have muted is left out.

    At most seven queries, each of which ends at a bounded number of rows.
    """
    matching = Company.objects.published(now).filter(_asked(criteria), not_muted_by(user.pk))
    found = _rows(matching.order_by()[: COUNTED_UP_TO + 1])
    is_more = len(found) > COUNTED_UP_TO
    # Where all are known, nothing is left to ask; sorting few of them is for Python.
    newest = _rows(matching.newest_first()[:SAMPLE]) if is_more else sorted(found, reverse=True)
    recent = [fresh_at for fresh_at, _ in newest if fresh_at > now - LOOKED_BACK]
    a_week = _a_week(recent, is_more and len(recent) == SAMPLE, now)
    between = BETWEEN_MAILS[Frequency(frequency)]
    return Preview(
        matching=min(len(found), COUNTED_UP_TO),
        is_more=is_more,
        a_week=a_week,
        a_mail=a_week * (between / WEEK),
        newest=_in_order([pk for _, pk in newest[:NEWEST]]),
        max_companies=DispatchLimits.current().max_companies,
        is_too_narrow=not recent,
    )


def _asked(criteria: Criteria) -> Q:
    """`criteria.q()` with the codes written out: PostgreSQL knows how frequent each of them is.

    So it reads the newest from the index by time where there are many, and sorts where there are
    few.
    """
    rest = replace(criteria, industries=(), regions=()).q()
    if criteria.industries:
        rest &= Q(industry__in=_codes(Industry, criteria.industries))
    if criteria.regions:
        rest &= Q(region__in=_codes(Region, criteria.regions))
    return rest


def _codes(model: type[Industry] | type[Region], codes: Sequence[str]) -> list[str]:
    return list(with_children(model, codes).order_by("code").values_list("code", flat=True))


def _rows(companies: QuerySet[Company]) -> list[tuple[datetime, int]]:
    rows = companies.values_list("fresh_at", "pk")
    return [(fresh_at, pk) for fresh_at, pk in rows if fresh_at is not None]


def _a_week(recent: Sequence[datetime], is_sample: bool, now: datetime) -> float:
    """How many a week came on average: in 90 days, or since the oldest of a full sample."""
    since = now - recent[-1] if is_sample else LOOKED_BACK
    return len(recent) / max(since / WEEK, SHORTEST / WEEK)


def _in_order(ids: Sequence[int]) -> list[Company]:
    companies = Company.objects.filter(pk__in=ids).select_related("industry", "region")
    return sorted(companies, key=lambda company: ids.index(company.pk))
