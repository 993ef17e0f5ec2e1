"""The tasks of this app."""

from celery import shared_task

from operations import pulse as signs_of_life


@shared_task
def pulse(*, queue: str) -> None:
    """A worker that takes from this queue has a free place and runs tasks; beat sends it."""
    signs_of_life.pulse_arrived(signs_of_life.server(), queue)
