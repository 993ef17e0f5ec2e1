"""Handing a batch to a provider, message by message, and recording what it answers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from django.db import transaction

from notifications import ledger
from notifications.backoff import pause_after, resume_at
from notifications.messages import Message
from notifications.models import Delivery, DispatchLimits, Reason
from notifications.providers.base import (
    Accepted,
    Outcome,
    Permanent,
    Provider,
    Retryable,
    Throttled,
    Unavailable,
    Uncertain,
)

logger = logging.getLogger(__name__)

Clock = Callable[[], datetime]


class Dispatch:
    """One batch on its way through one provider.

    "Being handed over" is committed before each call, in one transaction with the record of the
    message before: a worker that dies leaves at most one delivery whose outcome is not known.
    """

    def __init__(self, provider: Provider, limits: DispatchLimits, clock: Clock) -> None:
        self.provider = provider
        self.limits = limits
        self.clock = clock
        self._accepted: list[tuple[Delivery, str]] = []
        self._sent = 0

    def run(self, composed: Sequence[tuple[Delivery, Message]]) -> int:
        """Hand over all; answers how many were taken. Stops when the provider needs a rest."""
        for position, (delivery, message) in enumerate(composed):
            if self._lease_has_ended(delivery):
                self._postpone(composed[position:], self.clock())
                break
            if not self._start(delivery):
                continue
            outcome = self._ask(delivery, message)
            resting_until = self._record(delivery, outcome)
            if resting_until is not None:
                self._postpone(composed[position + 1 :], resting_until)
                break
        with transaction.atomic(durable=True):
            self._record_accepted()
        return self._sent

    def _lease_has_ended(self, delivery: Delivery) -> bool:
        return delivery.lease_expires_at is not None and (self.clock() >= delivery.lease_expires_at)

    def _start(self, delivery: Delivery) -> bool:
        """Mark and commit; False when the delivery is not ours any more."""
        lease = timedelta(seconds=self.limits.lease_seconds)
        with transaction.atomic(durable=True):
            self._record_accepted()
            started = ledger.start_dispatching(
                [delivery], provider=self.provider.name, now=self.clock(), lease=lease
            )
        return delivery.pk in started

    def _ask(self, delivery: Delivery, message: Message) -> Outcome:
        try:
            return self.provider.send(delivery.pk, message)
        except Exception as error:
            logger.exception("UnableToSend: the adapter of %s failed", self.provider.name)
            return Uncertain(type(error).__name__)

    def _record(self, delivery: Delivery, outcome: Outcome) -> datetime | None:
        """Store the outcome; answers until when the provider needs a rest, if it does."""
        match outcome:
            case Accepted():
                self._accepted.append((delivery, outcome.message_id))
            case Throttled():
                return self._not_counted(delivery, outcome.answer, outcome.until)
            case Unavailable():
                until = self.clock() + pause_after(1, self.limits)
                return self._not_counted(delivery, outcome.answer, until)
            case Retryable():
                self._failed(delivery, outcome.answer)
            case Permanent():
                self._give_up(delivery, Reason.REFUSED, outcome.answer)
            case Uncertain():
                reason = Reason.NO_ANSWER.value
                ledger.mark_uncertain([delivery], answer=outcome.answer, reason=reason)
                if outcome.is_timeout:
                    return self.clock() + pause_after(1, self.limits)
        return None

    def _not_counted(self, delivery: Delivery, answer: str, until: datetime | None) -> datetime:
        due_at = resume_at(until, self.clock())
        ledger.put_back([(delivery, due_at)], answer=answer, attempts_change=-1)
        return due_at

    def _failed(self, delivery: Delivery, answer: str) -> None:
        if delivery.attempts >= self.limits.max_attempts:
            self._give_up(delivery, Reason.ATTEMPTS_USED_UP, answer)
            return
        due_at = self.clock() + pause_after(delivery.attempts, self.limits)
        ledger.put_back([(delivery, due_at)], answer=answer)

    def _give_up(self, delivery: Delivery, reason: Reason, answer: str) -> None:
        ledger.give_up([delivery], reason=reason.value, answer=answer, now=self.clock())

    def _postpone(self, rest: Iterable[tuple[Delivery, Message]], due_at: datetime) -> None:
        """The provider was not asked about these; they wait without having failed."""
        ledger.put_back([(delivery, due_at) for delivery, _message in rest])

    def _record_accepted(self) -> None:
        self._sent += len(ledger.record_sent(self._accepted, now=self.clock()))
        self._accepted = []
