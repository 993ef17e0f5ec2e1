"""The sweep: whatever a lost worker, queue or answer left behind is taken up again.

Two sweeps at once do no harm: each step is one statement on rows that nobody else holds, or a
compare-and-set.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from notifications import ledger
from notifications.limiter import ProviderGate
from notifications.limiter.server import REDIS_ERRORS
from notifications.measures import together
from notifications.models import Channel, Delivery, DispatchLimits, Reason, State
from notifications.providers import PROVIDERS, get_provider, provider_name_for
from notifications.queueing import ACCOUNT_QUEUE, QUEUES, enqueue, waiting_messages
from notifications.sent_marks import SentMarks
from notifications.settlement import settle_uncertain

logger = logging.getLogger(__name__)

# One sweep does this much of each kind at most; the next one comes within seconds.
MOST_ROWS = 5000
# The sweep fills a queue up to here. A row whose message still waits behind others would only be
# put into the queue once more: with a long queue there is nothing to be taken up.
QUEUED_ROWS = 20_000


@dataclass(frozen=True, slots=True)
class Swept:
    """How many deliveries a sweep took up again."""

    freed: int
    settled: int
    enqueued: int


NOTHING = Swept(freed=0, settled=0, enqueued=0)


def sweep(*, now: datetime) -> Swept:
    """Free expired claims, settle lost calls and doubts, enqueue what is due and waits too long."""
    with together():
        swept = _sweep(now)
    if swept != NOTHING:
        logger.info("Taken up again", extra={"counts": asdict(swept)})
    return swept


def _sweep(now: datetime) -> Swept:
    limits = DispatchLimits.current()
    freed = ledger.free_expired_claims(now=now, limit=MOST_ROWS)
    settled = _settle_expired_calls(limits, now) + settle_uncertain(now)
    channels = _channels_in_service(limits, now)
    enqueued = sum(_fill(queue, channels, limits, now) for queue in QUEUES)
    return Swept(freed, settled, enqueued)


def _channels_in_service(limits: DispatchLimits, now: datetime) -> list[str]:
    """The channels but those whose provider rests: workers could only put their rows back."""
    names = {channel: provider_name_for(channel) for channel in Channel.values}
    resting = {
        name
        for name in set(names.values()) & set(PROVIDERS)
        if ProviderGate(name, lambda: now, limits).resting()
    }
    return [channel for channel, name in names.items() if name not in resting]


def _fill(queue: str, channels: Sequence[str], limits: DispatchLimits, now: datetime) -> int:
    """Enqueue due rows that the queue does not hold, as far as it has room; how many."""
    waiting = waiting_messages(queue)
    if waiting is None or not channels:
        return 0
    room = QUEUED_ROWS - waiting * limits.batch_size
    if room <= 0:
        return 0
    due = ledger.mark_enqueued(
        now=now,
        older_than=now - timedelta(seconds=limits.requeue_after_seconds),
        limit=room,
        channels=channels,
        are_account_mails=queue == ACCOUNT_QUEUE,
    )
    return enqueue(due, queue=queue)


def _settle_expired_calls(limits: DispatchLimits, now: datetime) -> int:
    """A worker died while it asked the provider: ask again whether the message was taken."""
    by_provider = defaultdict(list)
    lost = Delivery.objects.filter(state=State.DISPATCHING, lease_expires_at__lt=now)
    for delivery in lost.order_by("lease_expires_at")[:MOST_ROWS]:
        by_provider[delivery.provider].append(delivery)
    marks = SentMarks(limits)
    return sum(_settle(name, group, marks, now) for name, group in by_provider.items())


def _settle(provider_name: str, lost: Sequence[Delivery], marks: SentMarks, now: datetime) -> int:
    """By the provider's word, or the sent marks; without either they are uncertain."""
    taken, not_taken, unknown = _by_providers_word(provider_name, lost)
    try:
        found, untouched = marks.look_back([*not_taken, *unknown])
    except REDIS_ERRORS as error:
        logger.warning("Redis is away (%s); lost calls wait.", type(error).__name__)
        found, untouched, unknown = {}, [], []
    never = {delivery.pk for delivery in untouched}
    for delivery in unknown:
        mark = found.get(delivery.pk)
        if mark is not None and mark.is_accepted:
            taken.append((delivery, mark.detail))
    known = never | {delivery.pk for delivery, _message_id in taken}
    doubtful = [delivery for delivery in unknown if delivery.pk not in known]
    changed = ledger.record_sent(taken, now=now)
    changed |= ledger.never_handed_over(untouched, now=now)
    changed |= ledger.put_back([(one, now) for one in not_taken if one.pk not in never])
    reason = Reason.NO_ANSWER.value
    changed |= ledger.mark_uncertain(doubtful, answer="The worker was lost.", reason=reason)
    return len(changed)


def _by_providers_word(
    provider_name: str, lost: Sequence[Delivery]
) -> tuple[list[tuple[Delivery, str]], list[Delivery], list[Delivery]]:
    """Those it has, those it has not, and those it cannot be asked about."""
    taken, not_taken, unknown = [], [], []
    with get_provider(provider_name) as provider:
        for delivery in lost:
            match provider.was_accepted(delivery):
                case True:
                    taken.append((delivery, ""))
                case False:
                    not_taken.append(delivery)
                case None:
                    unknown.append(delivery)
    return taken, not_taken, unknown
