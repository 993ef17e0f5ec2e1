"""The tasks of this app."""

from celery import shared_task
from django.utils import timezone

from operations import pulse as signs_of_life
from operations import rollup


@shared_task
def pulse(*, queue: str) -> None:
    """A worker that takes from this queue has a free place and runs tasks; beat sends it."""
    signs_of_life.pulse_arrived(signs_of_life.server(), queue)


@shared_task
def roll_up() -> None:
    """Bring the dashboard's hourly figures up to date; beat calls it every minute."""
    rollup.roll_up(now=timezone.now())


@shared_task
def roll_up_person_days() -> None:
    """Count how many mails people got a day; beat calls it every ten minutes."""
    rollup.roll_up_person_days(now=timezone.now())
