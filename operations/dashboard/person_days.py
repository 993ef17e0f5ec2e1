"""How many mails a person gets on a day: the distribution over the last 30 days."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from operations.dashboard.days import last_days
from operations.dashboard.links import Links, bounds_of
from operations.dashboard.wording import decimal_in_words
from operations.models import MailDay
from operations.rollup.person_days import MOST


@dataclass(frozen=True, slots=True)
class PersonDays:
    """`counts[n - 1]` times somebody got exactly n mails on a day; the last: that many or more."""

    counts: list[int]
    mails: int
    href: str

    @property
    def total(self) -> int:
        """How often somebody got any mail on a day."""
        return sum(self.counts)

    @property
    def mean(self) -> float | None:
        """Mails on a day on which somebody got any."""
        return self.mails / self.total if self.total else None

    @property
    def mean_in_words(self) -> str:
        """The mean for the page."""
        if self.mean is None:
            return ""
        return _("%(number)s on average") % {"number": decimal_in_words(self.mean, 2)}


def person_days(*, now: datetime, links: Links) -> PersonDays:
    """One statement, a row a day."""
    days = last_days(now=now)
    counts, mails = [0] * MOST, 0
    for row in MailDay.objects.filter(day__in=days):
        mails += row.mails
        counts = [old + new for old, new in zip(counts, row.people, strict=True)]
    href = links.sent_between(bounds_of(days[0])[0], bounds_of(days[-1])[1], channel__exact="email")
    return PersonDays(counts, mails, href)
