"""What people and servers did with our mails, by the day on which each was sent.

Of e-mails alone, and each mail once, however often it was opened:

- delivered: the provider reported its arrival, or something that proves it (an opening, a click,
  a report as spam, an unsubscription);
- open rate = opened ÷ delivered; click rate = clicked ÷ delivered;
- bounce rate = bounced for good ÷ sent; complaint rate = reported as spam ÷ delivered.

Where nothing was sent or delivered there is no rate. Providers that report nothing have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime

from django.db.models import DateField, Sum
from django.db.models.functions import TruncDate
from django.utils import timezone

from notifications.models import Channel, EventKind
from operations.dashboard.days import last_days
from operations.dashboard.links import Links, bounds_of
from operations.dashboard.shares import share
from operations.models import HourlyFigures

COUNTED = ("sent", "delivered", "opened", "clicked", "bounced", "complained", "unsubscribed")


@dataclass(frozen=True, slots=True)
class MailRates:
    """Counts of mails, and the rates that follow from them."""

    sent: int = 0
    delivered: int = 0
    opened: int = 0
    clicked: int = 0
    bounced: int = 0
    complained: int = 0
    unsubscribed: int = 0

    @property
    def open_rate(self) -> float | None:
        """Of the mails that arrived, those that were opened."""
        return share(self.opened, self.delivered)

    @property
    def click_rate(self) -> float | None:
        """Of the mails that arrived, those in which a link was followed."""
        return share(self.clicked, self.delivered)

    @property
    def bounce_rate(self) -> float | None:
        """Of the mails that a provider took, those that came back for good."""
        return share(self.bounced, self.sent)

    @property
    def complaint_rate(self) -> float | None:
        """Of the mails that arrived, those that were reported as spam."""
        return share(self.complained, self.delivered)


@dataclass(frozen=True, slots=True)
class DayOfRates:
    day: date
    rates: MailRates
    href: str


@dataclass(frozen=True, slots=True)
class Rates:
    """The days, today last, and all of them together; where the events of each kind stand."""

    days: list[DayOfRates]
    total: MailRates
    sent_href: str
    event_hrefs: dict[str, str] = field(default_factory=dict)


def rates(*, now: datetime, links: Links) -> Rates:
    """One statement on the hourly figures."""
    days = last_days(now=now)
    start, end = bounds_of(days[0])[0], bounds_of(days[-1])[1]
    found = dict(_by_day(start, end))
    return Rates(
        days=[
            DayOfRates(
                day,
                found.get(day, MailRates()),
                links.sent_between(*bounds_of(day), channel__exact="email"),
            )
            for day in days
        ],
        total=_together(found.values()),
        sent_href=links.sent_between(start, end, channel__exact="email"),
        event_hrefs={
            kind.value: links.events_between(kind.value, start, end)
            for kind in (
                EventKind.DELIVERED,
                EventKind.OPENED,
                EventKind.CLICKED,
                EventKind.BOUNCED,
                EventKind.COMPLAINED,
            )
        },
    )


def _by_day(start: datetime, end: datetime) -> Iterator[tuple[date, MailRates]]:
    zone = timezone.get_default_timezone()
    rows = (
        HourlyFigures.objects.filter(hour__gte=start, hour__lt=end, channel=Channel.EMAIL)
        .values(day=TruncDate("hour", tzinfo=zone, output_field=DateField()))
        .annotate(**{f"all_{name}": Sum(name) for name in COUNTED})
    )
    for day, *counts in rows.values_list("day", *(f"all_{name}" for name in COUNTED)):
        yield day, MailRates(*counts)


def _together(parts: Iterable[MailRates]) -> MailRates:
    counts = dict.fromkeys(COUNTED, 0)
    for part in parts:
        for name in COUNTED:
            counts[name] += getattr(part, name)
    return MailRates(**counts)
