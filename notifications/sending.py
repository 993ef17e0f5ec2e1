"""Sending one batch: claim, cancel what came too late, compose, hand over, record.

No transaction is open while a source composes or a provider is asked.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from notifications import ledger
from notifications.backoff import DEFAULT_PAUSE, pause_after
from notifications.composing import NotComposed, compose
from notifications.dispatching import Dispatch
from notifications.limiter import ProviderGate
from notifications.log_context import bound
from notifications.measures import together
from notifications.messages import Message, NotWanted
from notifications.models import Delivery, DispatchLimits, Reason
from notifications.providers import PROVIDERS, provider_for, provider_name_for
from notifications.queueing import QUEUES, enqueue, queue_of
from notifications.recording import Clock

logger = logging.getLogger(__name__)


def send_batch(delivery_ids: Sequence[int], *, clock: Clock) -> int:
    """Send those of the deliveries that are due and free; answers how many the provider took.

    May be called again with the same ids at any time, also at once: a delivery that somebody
    holds, or that has ended, is left alone. `clock` tells the time, again and again.
    """
    with together(), bound(delivery_ids=list(delivery_ids)):
        return _send_batch(delivery_ids, clock)


def _send_batch(delivery_ids: Sequence[int], clock: Clock) -> int:
    limits = DispatchLimits.current()
    lease = timedelta(seconds=limits.lease_seconds)
    claimed = ledger.claim(delivery_ids, now=clock(), limit=len(delivery_ids), lease=lease)
    in_time = _cancel_expired(claimed, clock())
    sent = 0
    for channel, deliveries in _by_channel(in_time).items():
        sent += _send_through(channel, deliveries, limits, clock)
    counts = {"asked": len(delivery_ids), "claimed": len(claimed), "sent": sent}
    logger.info("Batch: %d of %d sent", sent, len(claimed), extra={"counts": counts})
    return sent


def _by_channel(deliveries: Sequence[Delivery]) -> Mapping[str, list[Delivery]]:
    groups: dict[str, list[Delivery]] = defaultdict(list)
    for delivery in deliveries:
        groups[delivery.channel].append(delivery)
    return groups


def _send_through(
    channel: str, deliveries: Sequence[Delivery], limits: DispatchLimits, clock: Clock
) -> int:
    """Send these through the provider of their channel; what cannot leave now goes back."""
    name = provider_name_for(channel)
    if name not in PROVIDERS:
        logger.error("UnableToSend: there is no provider for %s: %r", channel, name)
        _put_back(deliveries, clock() + DEFAULT_PAUSE)
        return 0
    gate = ProviderGate(name, clock, limits)
    if rest := gate.resting():
        logger.info("%s rests until %s: %s", name, rest.until.isoformat(), rest.reason)
        _put_back(deliveries, rest.until)
        return 0
    wanted = _compose_wanted(deliveries, limits, clock)
    if not wanted:
        return 0
    with provider_for(channel) as provider:
        dispatched = Dispatch(provider, gate, limits, clock).run(wanted)
    for queue in QUEUES:
        unfinished = [d.pk for d in dispatched.unfinished if queue_of(d.kind) == queue]
        enqueue(unfinished, queue=queue)
    return dispatched.sent


def _put_back(deliveries: Sequence[Delivery], due_at: datetime) -> None:
    ledger.put_back([(delivery, due_at) for delivery in deliveries])


def _cancel_expired(claimed: Sequence[Delivery], now: datetime) -> list[Delivery]:
    """Cancel what came too late; answer the others."""
    in_time: list[Delivery] = []
    late: list[Delivery] = []
    for delivery in claimed:
        is_late = delivery.expires_at is not None and delivery.expires_at <= now
        (late if is_late else in_time).append(delivery)
    ledger.cancel([(delivery, Reason.EXPIRED.value) for delivery in late], now=now)
    return in_time


def _compose_wanted(
    deliveries: Sequence[Delivery], limits: DispatchLimits, clock: Clock
) -> list[tuple[Delivery, Message]]:
    """Each delivery with its message; what has none is cancelled, or tried again later."""
    answers = compose(deliveries)
    wanted: list[tuple[Delivery, Message]] = []
    unwanted: list[tuple[Delivery, str]] = []
    for delivery in deliveries:
        match answers[delivery.pk]:
            case Message() as message:
                wanted.append((delivery, message))
            case NotWanted(reason):
                unwanted.append((delivery, reason))
            case NotComposed(error):
                _not_composed(delivery, error, limits, clock())
    ledger.cancel(unwanted, now=clock())
    return wanted


def _not_composed(delivery: Delivery, error: str, limits: DispatchLimits, now: datetime) -> None:
    """A message that cannot be written counts an attempt, so that it ends as a dead letter."""
    attempts = delivery.attempts + 1
    if attempts >= limits.max_attempts:
        reason = Reason.ATTEMPTS_USED_UP.value
        ledger.give_up([delivery], reason=reason, answer=error, now=now)
        return
    due_at = now + pause_after(attempts, limits)
    ledger.put_back([(delivery, due_at)], answer=error, attempts_change=1)
