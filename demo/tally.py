"""What a firing has done so far, and what it did: read from its runs and the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db.models import Count

from agents.counters import Counters
from agents.models import ReportedCompany, ReportRun
from agents.plan_writer import DIGEST
from demo.firing import Firing
from notifications.models import Delivery, State
from notifications.models.delivery import OPEN_STATES


@dataclass(slots=True)
class TierTally:
    """One tier: its runs' counts, and what became of its mails."""

    people_due: int
    is_planned: bool = False
    counters: Counters = field(default_factory=Counters)
    mails: dict[str, int] = field(default_factory=dict)
    """Deliveries by state."""
    listings_sent: int = 0

    @property
    def sent(self) -> int:
        return self.mails.get(State.SENT.value, 0)

    @property
    def open(self) -> int:
        """Mails that have not come to an end."""
        return sum(self.mails.get(state.value, 0) for state in OPEN_STATES)

    @property
    def unsent(self) -> int:
        """Mails that came to an end without being sent."""
        return sum(self.mails.values()) - self.sent - self.open

    @property
    def is_done(self) -> bool:
        return self.is_planned and not self.open


Tally = Mapping[str, TierTally]
"""By frequency."""


def tally_of(firing: Firing) -> Tally:
    """The state of things now. Three queries."""
    tally = {name: TierTally(due) for name, due in firing.people_due.items()}
    tier_of: dict[int, TierTally] = {}
    for run in ReportRun.objects.filter(pk__gt=firing.last_run_id).order_by("pk"):
        tier = tier_of[run.pk] = tally[run.frequency]
        tier.is_planned = run.finished_at is not None
        _add(tier.counters, run)
    mails = Delivery.objects.filter(kind=DIGEST, subject_id__in=list(tier_of))
    for run_id, state, count in mails.values_list("subject_id", "state").annotate(Count("pk")):
        states = tier_of[run_id].mails
        states[state] = states.get(state, 0) + count
    listed = ReportedCompany.objects.filter(
        is_listed=True, delivery__in=mails.filter(state=State.SENT)
    )
    for run_id, count in listed.values_list("delivery__subject_id").annotate(Count("pk")):
        tier_of[run_id].listings_sent += count
    return tally


def _add(counters: Counters, run: ReportRun) -> None:
    """Add a run. Should a tier fire twice meanwhile, whoever still waits is counted once."""
    fields = {name: getattr(run, name) for name in counters.as_dict()}
    counters.deferred = 0
    counters.add(Counters(**fields))


def totals(tally: Tally) -> dict[str, int]:
    """The figures of the last line."""
    return {
        "mails_sent": sum(tier.sent for tier in tally.values()),
        "listings_reported": sum(tier.listings_sent for tier in tally.values()),
        "duplicates_prevented": sum(tier.counters.duplicates for tier in tally.values()),
        "deferred": sum(tier.counters.deferred for tier in tally.values()),
    }
