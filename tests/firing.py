"""Firing tiers in tests, and reading what came of it."""

from datetime import UTC, datetime, timedelta

from agents.frequency import Frequency
from agents.models import ReportedCompany, ReportRun, ScheduledMailReport
from agents.runs import run_reports
from notifications.models import Delivery
from tests.factories import CompanyFactory


def fire(frequency: str = Frequency.DAILY, **moments: datetime) -> ReportRun:
    """One firing now, or as of `at`."""
    result = run_reports(frequency, now=datetime.now(UTC), **moments)
    return ReportRun.objects.get(pk=result.run_id)


def make_due() -> None:
    """Every agent but the default ones is due again, as if its time had come."""
    ScheduledMailReport.objects.filter(is_default=False).update(
        next_run_at=datetime.now(UTC) - timedelta(minutes=1)
    )


def titles_in(delivery: Delivery) -> list[str]:
    """What stands in a mail, newest first."""
    rows = ReportedCompany.objects.filter(delivery=delivery, is_listed=True)
    return list(
        rows.order_by("-company__fresh_at", "-company").values_list("company__title", flat=True)
    )


def fire_and_read(frequency: str = Frequency.DAILY) -> list[list[str]]:
    """Make everybody due, fire, and answer each planned mail's titles, by person."""
    make_due()
    run = fire(frequency)
    mails = Delivery.objects.filter(kind="digest", subject_id=run.pk).order_by("user_id")
    return [titles_in(mail) for mail in mails]


def publish(*titles: str, minutes_ago: float = 60, **fields: object) -> None:
    """Companies published one minute after the other, the last named last."""
    start = datetime.now(UTC) - timedelta(minutes=minutes_ago)
    for place, title in enumerate(titles):
        CompanyFactory(title=title, published_at=start + timedelta(seconds=place), **fields)
