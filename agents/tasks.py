"""The four tiers as Celery tasks: beat fires each on its own schedule."""

from celery import shared_task
from django.utils import timezone

from agents.frequency import Frequency
from agents.runs import run_reports


def _fire(frequency: Frequency) -> None:
    """One firing. Two beats in the same minute, or a redelivered task, join the same run."""
    now = timezone.now()
    run_reports(frequency, now=now, occurrence=now.replace(second=0, microsecond=0))


@shared_task
def report_hourly() -> None:
    """Fire the hourly tier."""
    _fire(Frequency.HOURLY)


@shared_task
def report_daily() -> None:
    """Fire the daily tier."""
    _fire(Frequency.DAILY)


@shared_task
def report_weekly() -> None:
    """Fire the weekly tier."""
    _fire(Frequency.WEEKLY)


@shared_task
def report_monthly() -> None:
    """Fire the monthly tier."""
    _fire(Frequency.MONTHLY)
