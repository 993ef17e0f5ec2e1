"""Having beat fire the four tiers once, beside their regular schedules."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django_celery_beat.models import ClockedSchedule, PeriodicTask

from agents import tasks
from agents.frequency import Frequency
from agents.models import ReportRun
from agents.plan_reader import people_due

TASKS = {
    Frequency.HOURLY: tasks.report_hourly.name,
    Frequency.DAILY: tasks.report_daily.name,
    Frequency.WEEKLY: tasks.report_weekly.name,
    Frequency.MONTHLY: tasks.report_monthly.name,
}
NAME = "Demonstration: {}"
# A firing that nobody took up must not surprise a worker of another day.
EXPIRE_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Firing:
    """What beat was asked for: all tiers at `at`; runs after `last_run_id` are its runs."""

    at: datetime
    last_run_id: int
    people_due: dict[str, int]


@contextmanager
def firing(now: datetime) -> Iterator[Firing]:
    """Ask beat to fire each tier once, soon; the entries are gone afterwards."""
    at = _next_free_minute(now)
    _take_back()
    with transaction.atomic():
        newest = ReportRun.objects.order_by("-pk").values_list("pk", flat=True).first()
        clocked = ClockedSchedule.objects.create(clocked_time=at)
        for frequency, task in TASKS.items():
            PeriodicTask.objects.create(
                name=NAME.format(frequency.value),
                task=task,
                clocked=clocked,
                one_off=True,
                expire_seconds=EXPIRE_SECONDS,
                description="Fires once for the demonstration, which takes it away again.",
            )
    try:
        due = {frequency.value: len(people_due(frequency.value, at)) for frequency in TASKS}
        yield Firing(at, newest or 0, due)
    finally:
        _take_back()


def _next_free_minute(now: datetime) -> datetime:
    """Now, unless a tier has fired this minute already: a second firing would join that run."""
    minute = now.replace(second=0, microsecond=0)
    if ReportRun.objects.filter(occurrence=minute).exists():
        return minute + timedelta(minutes=1)
    return now


def _take_back() -> None:
    """Remove our entries, also those of a demonstration that was killed."""
    entries = PeriodicTask.objects.filter(name__in=[NAME.format(each.value) for each in TASKS])
    clocked = list(entries.values_list("clocked", flat=True))
    # One by one: beat is told by the signal.
    for entry in entries:
        entry.delete()
    ClockedSchedule.objects.filter(pk__in=clocked, periodictask=None).delete()
