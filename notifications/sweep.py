"""The sweep: whatever a lost worker, queue or answer left behind is taken up again.

Two sweeps at once do no harm: each step is one statement on rows that nobody else holds, or a
compare-and-set.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from notifications import ledger
from notifications.models import Delivery, DispatchLimits, Reason, State
from notifications.providers import get_provider
from notifications.queueing import enqueue

# One sweep does this much of each kind at most; the next one comes within seconds.
MOST_ROWS = 5000


@dataclass(frozen=True, slots=True)
class Swept:
    """How many deliveries a sweep took up again."""

    freed: int
    settled: int
    enqueued: int


def sweep(*, now: datetime) -> Swept:
    """Free expired claims, settle expired calls, and enqueue what is due and waits too long."""
    limits = DispatchLimits.current()
    freed = ledger.free_expired_claims(now=now, limit=MOST_ROWS)
    settled = _settle_expired_calls(now)
    older_than = now - timedelta(seconds=limits.requeue_after_seconds)
    due = ledger.mark_enqueued(now=now, older_than=older_than, limit=MOST_ROWS)
    enqueue(due)
    return Swept(freed, settled, len(due))


def _settle_expired_calls(now: datetime) -> int:
    """A worker died while it asked the provider: ask again whether the message was taken."""
    by_provider = defaultdict(list)
    lost = Delivery.objects.filter(state=State.DISPATCHING, lease_expires_at__lt=now)
    for delivery in lost.order_by("lease_expires_at")[:MOST_ROWS]:
        by_provider[delivery.provider].append(delivery)
    return sum(_settle(name, group, now) for name, group in by_provider.items())


def _settle(provider_name: str, lost: Sequence[Delivery], now: datetime) -> int:
    taken, not_taken, unknown = [], [], []
    with get_provider(provider_name) as provider:
        for delivery in lost:
            match provider.was_accepted(delivery):
                case True:
                    taken.append((delivery, ""))
                case False:
                    not_taken.append((delivery, now))
                case None:
                    unknown.append(delivery)
    changed = ledger.record_sent(taken, now=now) | ledger.put_back(not_taken)
    reason = Reason.NO_ANSWER.value
    changed |= ledger.mark_uncertain(unknown, answer="The worker was lost.", reason=reason)
    return len(changed)
