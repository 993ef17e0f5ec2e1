"""The share of hits that people are spared, because they had been shown the company before.

Share = duplicates removed ÷ hits of search agents, in the report runs of a day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import Sum
from django.db.models.functions import TruncDate
from django.utils import timezone

from agents.frequency import Frequency
from agents.models import ReportRun
from operations.dashboard.days import last_days
from operations.dashboard.links import Links, bounds_of
from operations.dashboard.shares import share


@dataclass(frozen=True, slots=True)
class DayOfDuplicates:
    day: date
    hits: int
    removed: int
    href: str

    @property
    def share(self) -> float | None:
        return share(self.removed, self.hits)


@dataclass(frozen=True, slots=True)
class Duplicates:
    """The days, today last, and all of them together."""

    days: list[DayOfDuplicates]
    href: str

    @property
    def hits(self) -> int:
        return sum(day.hits for day in self.days)

    @property
    def removed(self) -> int:
        return sum(day.removed for day in self.days)

    @property
    def share(self) -> float | None:
        return share(self.removed, self.hits)


def duplicates(*, now: datetime, links: Links) -> Duplicates:
    """One statement on some thousand report runs."""
    days = last_days(now=now)
    start, end = bounds_of(days[0])[0], bounds_of(days[-1])[1]
    # The tiers are named because the index of runs begins with them.
    rows = (
        ReportRun.objects.filter(
            frequency__in=Frequency.values, occurrence__gte=start, occurrence__lt=end
        )
        .order_by()
        .values(day=TruncDate("occurrence", tzinfo=timezone.get_default_timezone()))
        .annotate(hits=Sum("matched"), removed=Sum("duplicates"))
    )
    found = {row["day"]: (row["hits"], row["removed"]) for row in rows}
    return Duplicates(
        days=[
            DayOfDuplicates(day, *found.get(day, (0, 0)), _runs(*bounds_of(day), links))
            for day in days
        ],
        href=_runs(start, end, links),
    )


def _runs(start: datetime, end: datetime, links: Links) -> str:
    return links.list_of("agents.reportrun", occurrence__gte=start, occurrence__lt=end)
