"""The four tiers of search agents: their last run with what it counted, and their next one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count
from django_celery_beat.models import PeriodicTask

from agents import tasks
from agents.admin.schedule import next_firing
from agents.frequency import Frequency
from agents.models import ReportRun
from agents.plan_writer import DIGEST
from notifications.models import Delivery, State
from operations.dashboard.links import Links

TASKS = {
    Frequency.HOURLY: tasks.report_hourly.name,
    Frequency.DAILY: tasks.report_daily.name,
    Frequency.WEEKLY: tasks.report_weekly.name,
    Frequency.MONTHLY: tasks.report_monthly.name,
}


@dataclass(frozen=True, slots=True)
class Tier:
    """One tier. Without `run` it has never fired; without `next_at` beat will not fire it.

    `sent` of the last run's mails have been taken by a provider.
    """

    frequency: Frequency
    run: ReportRun | None
    next_at: datetime | None
    sent: int
    runs_href: str
    run_href: str
    mails_href: str
    sent_href: str
    schedule_href: str

    @property
    def name(self) -> str:
        return str(self.frequency.label)


def tiers(*, now: datetime, links: Links) -> list[Tier]:
    """The tiers, the most frequent first; runs for one agent only are left out."""
    runs = {frequency: _last_run(frequency) for frequency in Frequency}
    sent = _sent_of([run.pk for run in runs.values() if run])
    schedule = _schedule()
    return [
        _tier(frequency, run, sent, schedule.get(TASKS[frequency]), now, links)
        for frequency, run in runs.items()
    ]


def _tier(
    frequency: Frequency,
    run: ReportRun | None,
    sent: dict[int, int],
    task: PeriodicTask | None,
    now: datetime,
    links: Links,
) -> Tier:
    mails = {"kind": DIGEST, "subject_id": run.pk if run else 0}
    return Tier(
        frequency=frequency,
        run=run,
        next_at=next_firing(task, now) if task else None,
        sent=sent.get(run.pk, 0) if run else 0,
        runs_href=links.list_of("agents.reportrun", frequency__exact=frequency.value),
        run_href=links.row_of("agents.reportrun", run.pk) if run else "",
        mails_href=links.deliveries(**mails) if run else "",
        sent_href=links.deliveries(**mails, state__exact="sent") if run else "",
        schedule_href=links.row_of("django_celery_beat.periodictask", task.pk) if task else "",
    )


def _last_run(frequency: Frequency) -> ReportRun | None:
    """One look into the index of runs."""
    runs = ReportRun.objects.filter(frequency=frequency, is_for_one_agent=False)
    return runs.order_by("-occurrence").first()


def _sent_of(run_ids: Sequence[int]) -> dict[int, int]:
    """How many mails of each run were sent."""
    rows = Delivery.objects.filter(kind=DIGEST, subject_id__in=run_ids, state=State.SENT)
    counted = rows.order_by().values("subject_id").annotate(number=Count("pk"))
    return {row["subject_id"] or 0: row["number"] for row in counted}


def _schedule() -> dict[str, PeriodicTask]:
    """The entries that are switched on, by task."""
    entries = PeriodicTask.objects.filter(task__in=TASKS.values(), enabled=True)
    times = entries.select_related("crontab", "interval", "clocked", "solar")
    return {entry.task: entry for entry in times.order_by("-pk")}
