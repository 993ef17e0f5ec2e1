"""The row of a report run: opened once an occurrence, counted up chunk by chunk."""

from __future__ import annotations

from datetime import datetime

from django.db.models import F

from agents.counters import Counters
from agents.models import ReportRun


def open_run(
    frequency: str, occurrence: datetime, now: datetime, cutoff: datetime, is_for_one_agent: bool
) -> ReportRun:
    """This occurrence's run. A firing closes older ones of the tier that a crash left open.

    Nothing of theirs is lost: whoever they did not reach is still due, and is planned now. A run
    of one agent plans nobody else, so it leaves them open.
    """
    run, _ = ReportRun.objects.get_or_create(
        frequency=frequency,
        occurrence=occurrence,
        defaults={"cutoff": cutoff, "started_at": now, "is_for_one_agent": is_for_one_agent},
    )
    if not is_for_one_agent:
        left_open = ReportRun.objects.filter(frequency=frequency, finished_at=None)
        left_open.exclude(pk=run.pk).update(finished_at=now)
    return run


def counters_of(run: ReportRun) -> Counters:
    """What the run has counted so far."""
    return Counters(**{name: getattr(run, name) for name in Counters().as_dict()})


def add_counters(run: ReportRun, counters: Counters) -> None:
    """Add a chunk's counts to the stored row; other planners may add at the same time."""
    ReportRun.objects.filter(pk=run.pk).update(
        **{name: F(name) + count for name, count in counters.as_dict().items()}
    )
