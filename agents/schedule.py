"""When an agent runs next: a pure function of its frequency and its person's clock.

Always computed from the person's wishes, never from the previous run, so nothing drifts: a
monthly agent of the 31st runs on 28 February and on 31 March. A clock change neither skips nor
doubles a run: an hour that does not exist runs as the next one that does, an hour that exists
twice runs the first time.
"""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from agents.frequency import Frequency


@dataclass(frozen=True, slots=True)
class MailTimes:
    """A person's wishes: hour 0–23, weekday 0 (Monday) – 6, day of month 1–31, IANA zone."""

    hour: int
    weekday: int
    day_of_month: int
    time_zone: str


@lru_cache(maxsize=65_536)
def next_run_after(frequency: str, times: MailTimes, after: datetime) -> datetime:
    """The first time strictly after `after` at which an agent is due; in UTC."""
    if frequency == Frequency.HOURLY:
        return after.astimezone(UTC).replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    zone = ZoneInfo(times.time_zone)
    today = after.astimezone(zone).date()
    day = _first_day(frequency, times, today)
    if (moment := _at_hour(day, times.hour, zone)) > after:
        return moment
    return _at_hour(_following_day(frequency, times, day), times.hour, zone)


def _first_day(frequency: str, times: MailTimes, today: date) -> date:
    """The first day from today on that the frequency allows; this month's, if monthly."""
    if frequency == Frequency.WEEKLY:
        return today + timedelta(days=(times.weekday - today.weekday()) % 7)
    if frequency == Frequency.MONTHLY:
        return _day_in_month(today.year, today.month, times.day_of_month)
    return today


def _following_day(frequency: str, times: MailTimes, day: date) -> date:
    if frequency == Frequency.WEEKLY:
        return day + timedelta(days=7)
    if frequency == Frequency.MONTHLY:
        year, month = divmod(day.year * 12 + day.month, 12)
        return _day_in_month(year, month + 1, times.day_of_month)
    return day + timedelta(days=1)


def _day_in_month(year: int, month: int, day: int) -> date:
    """The day, or the month's last one where it is shorter."""
    return date(year, month, min(day, calendar.monthrange(year, month)[1]))


def _at_hour(day: date, hour: int, zone: ZoneInfo) -> datetime:
    """The hour of a day as UTC. `fold=0` takes the first of two; a missing hour moves on."""
    return datetime.combine(day, time(hour), zone).astimezone(UTC)
