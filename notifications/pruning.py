"""Removing what the ledger need not remember any more: old ended deliveries and old events.

What an agent has shown stays for ever (`ReportedCompany` loses only its delivery), so nothing is
shown twice because a mail was pruned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Coalesce

from notifications.models import Delivery, DeliveryEvent, State

ENDED = (State.SENT, State.DEAD, State.CANCELLED)
BATCH = 1000

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class Pruned:
    """How many rows went, or would go; events are those that belong to no delivery."""

    deliveries: int = 0
    events: int = 0


def prune(
    *,
    now: datetime,
    days: int,
    dry_run: bool = False,
    progress: Progress = lambda done, total: None,
) -> Pruned:
    """Remove deliveries that ended more than `days` days ago, with their sections and events.

    Batches of a thousand, a transaction each; a run that was stopped goes on with the next one.
    Uncertain and open deliveries stay, however old. `progress` hears how far it is through the
    ledger's ids.
    """
    before = now - timedelta(days=days)
    return Pruned(
        deliveries=_prune_deliveries(before, dry_run, progress),
        events=_prune_events(before, dry_run),
    )


def _prune_deliveries(before: datetime, dry_run: bool, progress: Progress) -> int:
    """Walk the ledger by id, which follows the time of planning, until it gets too young."""
    newest = Delivery.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    pruned, last = 0, 0
    while page := list(
        Delivery.objects.filter(pk__gt=last)
        .order_by("pk")
        .annotate(ended_at=Coalesce("finished_at", "created_at"))
        .values_list("pk", "state", "created_at", "ended_at")[:BATCH]
    ):
        old = [pk for pk, state, _planned, ended in page if state in ENDED and ended < before]
        pruned += len(old) if dry_run else _remove(old, before)
        last = page[-1][0]
        progress(last, newest)
        if all(planned >= before for _pk, _state, planned, _ended in page):
            break
    return pruned


def _remove(ids: list[int], before: datetime) -> int:
    """Those of `ids` that are still old and ended: somebody may have requeued one meanwhile."""
    if not ids:
        return 0
    is_old = Q(finished_at__lt=before) | Q(finished_at=None, created_at__lt=before)
    with transaction.atomic():
        rows = Delivery.objects.select_for_update().filter(is_old, pk__in=ids, state__in=ENDED)
        locked = list(rows.order_by("pk").values_list("pk", flat=True))
        Delivery.objects.filter(pk__in=locked).delete()
    return len(locked)


def _prune_events(before: datetime, dry_run: bool) -> int:
    """Events that name no delivery of ours; the others go with theirs."""
    old = DeliveryEvent.objects.filter(delivery=None, happened_at__lt=before)
    if dry_run:
        return old.count()
    pruned = 0
    while ids := list(old.order_by("pk").values_list("pk", flat=True)[:BATCH]):
        pruned += DeliveryEvent.objects.filter(pk__in=ids).delete()[0]
    return pruned
