"""The tasks of this app; ids travel in messages, never texts."""

from celery import shared_task
from django.utils import timezone

from notifications import pruning, sending
from notifications import sweep as sweeping
from notifications.models import DispatchLimits


@shared_task
def send_batch(*, delivery_ids: list[int]) -> None:
    """Send one batch of deliveries."""
    sending.send_batch(delivery_ids, clock=timezone.now)


@shared_task
def sweep() -> None:
    """Take up again what was left behind; beat calls it every few seconds."""
    sweeping.sweep(now=timezone.now())


@shared_task
def prune() -> None:
    """Remove deliveries that ended longer ago than the limits say; beat calls it every night."""
    pruning.prune(now=timezone.now(), days=DispatchLimits.current().retention_days)
