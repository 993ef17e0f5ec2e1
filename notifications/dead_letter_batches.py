"""Acting on thousands of deliveries in trouble: batch after batch, a transaction each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from notifications.dead_letters import Handled

BATCH = 500

Act = Callable[[list[Any]], Handled]
Progress = Callable[[int, int], None]


def act_in_batches(
    ids: Sequence[Any],
    rows: QuerySet[Any],
    act: Act,
    *,
    dry_run: bool = False,
    progress: Progress = lambda done, total: None,
) -> Handled:
    """Run `act` on those of `rows` that `ids` name, 500 at a time; what came of all of them.

    A run that was stopped has done whole batches, and may simply be started again. With `dry_run`
    each batch is done and taken back: the answer is true, and nothing is changed or sent. Ids that
    `rows` has not got are refused. `progress` hears how many are done, and of how many.
    """
    handled = Handled()
    for start in range(0, len(ids), BATCH):
        batch = ids[start : start + BATCH]
        found = list(rows.filter(pk__in=batch).order_by("pk"))
        known = {row.pk for row in found}
        part = _act_once(found, act, dry_run)
        handled.done += part.done
        why = _("it is not in this list, or not any more")
        handled.refused |= {pk: why for pk in batch if pk not in known}
        handled.refused |= part.refused
        progress(start + len(batch), len(ids))
    return handled


def _act_once(found: list[Any], act: Act, dry_run: bool) -> Handled:
    if not found:
        return Handled()
    if not dry_run:
        return act(found)
    with transaction.atomic():
        part = act(found)
        # Taken back: nothing is stored, and what waits for the commit is not enqueued.
        transaction.set_rollback(True)
    return part
