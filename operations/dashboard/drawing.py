"""The dashboard's five charts, made of its figures."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from operations.dashboard.charts import Bar, BarChart, Line, LineChart
from operations.dashboard.days import LOOKED_BACK
from operations.dashboard.duplicates import Duplicates
from operations.dashboard.mail_hours import HourOfMail, MailHours
from operations.dashboard.person_days import PersonDays
from operations.dashboard.rates import Rates
from operations.dashboard.shares import share
from operations.dashboard.wording import number_in_words, share_in_words, tick_in_words

HOURS_BETWEEN_MARKS = 6
DAYS_BETWEEN_MARKS = 7
# The same in every language: as short as it gets.
CLOCK = "H:i"
# A tenth of a per cent: with less than this an axis has too many decimals to read.
LEAST_SHARE = 0.001


def chart_of_hours(figures: MailHours) -> BarChart:
    """Mails an hour, in the reader's time zone."""
    busiest = max(figures.hours, key=lambda hour: hour.sent)
    summary = _("Most in one hour: %(number)s, at %(hour)s.") % {
        "number": number_in_words(busiest.sent),
        "hour": _hour_in_full(busiest),
    }
    if not busiest.sent:
        summary = _("Nothing was sent in these hours.")
    return BarChart(
        "hours", _("Mails an hour"), summary, (_("Hour"), _("Sent")),
        [_bar_of_hour(hour, hour is figures.last_hour) for hour in figures.hours],
        _whole,
    )  # fmt: skip


def _bar_of_hour(hour: HourOfMail, is_current: bool) -> Bar:
    local = timezone.localtime(hour.start)
    mark = ""
    if local.hour % HOURS_BETWEEN_MARKS == 0:
        mark = date_format(local, "D" if local.hour == 0 else CLOCK)
    return Bar(
        _hour_in_full(hour), hour.sent, number_in_words(hour.sent), hour.href, mark, is_current
    )


def _hour_in_full(hour: HourOfMail) -> str:
    local = timezone.localtime(hour.start)
    return f"{date_format(local, 'SHORT_DATE_FORMAT')} {date_format(local, CLOCK)}"


def chart_of_readers(figures: Rates) -> LineChart:
    """Open and click rates."""
    total = figures.total
    opened, clicked = share_in_words(total.open_rate), share_in_words(total.click_rate)
    summary = _("Of the mails that arrived, %(opened)s were opened, %(clicked)s were clicked.")
    if not total.delivered:
        summary = _("No provider has reported an arrival in 30 days.")
    return _chart_of_rates(
        "readers", _("Opened and clicked"), summary % {"opened": opened, "clicked": clicked},
        figures,
        [
            Line(
                pgettext("share of mails", "Opened"),
                [day.rates.open_rate for day in figures.days],
                opened,
                figures.event_hrefs["opened"],
            ),
            Line(
                pgettext("share of mails", "Clicked"),
                [day.rates.click_rate for day in figures.days],
                clicked,
                figures.event_hrefs["clicked"],
            ),
        ],
    )  # fmt: skip


def chart_of_refusals(figures: Rates) -> LineChart:
    """Bounce and complaint rates."""
    total = figures.total
    bounced, complained = share_in_words(total.bounce_rate), share_in_words(total.complaint_rate)
    summary = _("%(bounced)s of the mails bounced, %(complained)s were reported as spam.")
    if not total.sent:
        summary = _("Nothing was sent in 30 days.")
    return _chart_of_rates(
        "refusals", _("Bounced and reported as spam"),
        summary % {"bounced": bounced, "complained": complained},
        figures,
        [
            Line(
                pgettext("share of mails", "Bounced"),
                [day.rates.bounce_rate for day in figures.days],
                bounced,
                figures.event_hrefs["bounced"],
            ),
            Line(
                pgettext("share of mails", "Spam"),
                [day.rates.complaint_rate for day in figures.days],
                complained,
                figures.event_hrefs["complained"],
            ),
        ],
    )  # fmt: skip


def _chart_of_rates(
    name: str, title: str, summary: str, figures: Rates, lines: Sequence[Line]
) -> LineChart:
    labels = [
        (_day(entry.day), _mark(place, entry.day), entry.href)
        for place, entry in enumerate(figures.days)
    ]
    return LineChart(
        name,
        title,
        summary,
        _("Day"),
        labels,
        lines,
        share_in_words,
        tick_in_words,
        least_step=LEAST_SHARE,
    )


def chart_of_duplicates(figures: Duplicates) -> BarChart:
    """The share of hits that were removed, day by day."""
    summary = _("%(removed)s of %(hits)s hits were known to their people already.") % {
        "removed": number_in_words(figures.removed),
        "hits": number_in_words(figures.hits),
    }
    if not figures.hits:
        summary = _("Search agents have found nothing in 30 days.")
    return BarChart(
        "duplicates", _("Duplicates removed"), summary, (_("Day"), _("Share of hits")),
        [
            Bar(
                _day(entry.day),
                entry.share,
                share_in_words(entry.share),
                entry.href,
                _mark(place, entry.day),
            )
            for place, entry in enumerate(figures.days)
        ],
        tick_in_words,
        least_step=LEAST_SHARE,
    )  # fmt: skip


def chart_of_person_days(figures: PersonDays) -> BarChart:
    """How often people got one mail on a day, two mails, and so on."""
    once = share_in_words(share(figures.counts[0], figures.total))
    summary = _("On %(share)s of the days with mail it was a single one.") % {"share": once}
    if not figures.total:
        summary = _("Nobody with an account got mail in 30 days.")
    return BarChart(
        "person-days", _("Mails per person and day"),
        summary,
        (_("Mails on a day"), _("How often")),
        [_bar_of_mails(number, count, figures) for number, count in enumerate(figures.counts, 1)],
        _whole,
    )  # fmt: skip


def _bar_of_mails(number: int, count: int, figures: PersonDays) -> Bar:
    is_last = number == len(figures.counts)
    label = _("%(number)d or more") % {"number": number} if is_last else str(number)
    return Bar(
        label, count, number_in_words(count), figures.href, f"{number}+" if is_last else str(number)
    )


def _mark(place: int, day: date) -> str:
    """What stands below the chart: one day a week, counted back from today."""
    is_marked = (LOOKED_BACK - 1 - place) % DAYS_BETWEEN_MARKS == DAYS_BETWEEN_MARKS // 2
    return date_format(day, "j M") if is_marked else ""


def _day(day: date) -> str:
    return date_format(day, "SHORT_DATE_FORMAT")


def _whole(value: float) -> str:
    return number_format(round(value), 0, use_l10n=True, force_grouping=True)
