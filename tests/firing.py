"""Firing tiers in tests, and reading what came of it."""

from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from agents.frequency import Frequency
from agents.models import ReportedCompany, ReportRun, ScheduledMailReport
from agents.runs import run_reports
from notifications.models import Delivery, State
from notifications.sending import send_batch
from tests.factories import CompanyFactory


def fire(
    frequency: str = Frequency.DAILY,
    *,
    at: datetime | None = None,
    occurrence: datetime | None = None,
) -> ReportRun:
    """One firing now, or as of `at`."""
    result = run_reports(frequency, now=datetime.now(UTC), at=at, occurrence=occurrence)
    assert result.run_id is not None
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


def send() -> int:
    """Send everything that is waiting, as a worker would."""
    waiting = Delivery.objects.filter(state=State.PENDING).order_by("pk")
    return send_batch(list(waiting.values_list("pk", flat=True)), clock=timezone.now)


def sent_mails() -> list[EmailMessage]:
    """The mails in the outbox, oldest first."""
    files = sorted(Path(settings.OUTBOX_DIR).rglob("*.eml"))
    return [message_from_bytes(file.read_bytes(), policy=default) for file in files]
