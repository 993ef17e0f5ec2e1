"""Everything that stands on the dashboard, as of one moment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from operations.checks import Check, health
from operations.dashboard import drawing
from operations.dashboard.charts import BarChart, LineChart
from operations.dashboard.duplicates import Duplicates, duplicates
from operations.dashboard.links import Links
from operations.dashboard.mail_hours import MailHours, mail_hours
from operations.dashboard.person_days import PersonDays, person_days
from operations.dashboard.providers import Provider, providers
from operations.dashboard.queues import Queue, queues
from operations.dashboard.rates import Rates, rates
from operations.dashboard.tiers import Tier, tiers
from operations.dashboard.waiting import Waiting, waiting


@dataclass(frozen=True, slots=True)
class Board:
    """The figures by topic; each has a module of this package that says what they mean.

    A new topic (campaigns) adds a module, a field here, and a panel of the template.
    """

    as_of: datetime
    health: list[Check]
    hours: MailHours
    rates: Rates
    duplicates: Duplicates
    person_days: PersonDays
    tiers: list[Tier]
    waiting: Waiting
    queues: list[Queue]
    providers: list[Provider]

    @property
    def today(self) -> str:
        """The reader's day, as templates compare it."""
        return f"{timezone.localtime(self.as_of):%Y%m%d}"

    @property
    def charts(self) -> dict[str, BarChart | LineChart]:
        """The charts by name, in the active language and time zone."""
        return {
            "hours": drawing.chart_of_hours(self.hours),
            "readers": drawing.chart_of_readers(self.rates),
            "refusals": drawing.chart_of_refusals(self.rates),
            "duplicates": drawing.chart_of_duplicates(self.duplicates),
            "person_days": drawing.chart_of_person_days(self.person_days),
        }


def board(*, now: datetime, links: Links) -> Board:
    """All figures, in a constant number of statements. Raises DatabaseError without the database.

    Redis or the broker may be away: what they would have told is None.
    """
    return Board(
        as_of=now,
        health=health(now=now),
        hours=mail_hours(now=now, links=links),
        rates=rates(now=now, links=links),
        duplicates=duplicates(now=now, links=links),
        person_days=person_days(now=now, links=links),
        tiers=tiers(now=now, links=links),
        waiting=waiting(now=now, links=links),
        queues=queues(now=now, links=links),
        providers=providers(links=links),
    )
