"""What each answer of a provider leads to: in the ledger first, then in the sent marks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from django.db import transaction

from notifications import ledger
from notifications.backoff import pause_after
from notifications.limiter import ProviderGate
from notifications.limiter.server import REDIS_ERRORS
from notifications.models import Delivery, DispatchLimits, Reason
from notifications.providers.base import (
    Accepted,
    Outcome,
    Permanent,
    Retryable,
    Throttled,
    Unavailable,
    Uncertain,
)
from notifications.sent_marks import Found, SentMarks
from notifications.witnesses import Entry

logger = logging.getLogger(__name__)

Clock = Callable[[], datetime]


class Recorder:
    """Stores outcomes. What was accepted is kept until `store_accepted`, to share a commit."""

    def __init__(
        self, gate: ProviderGate, marks: SentMarks, limits: DispatchLimits, clock: Clock
    ) -> None:
        self.gate = gate
        self.marks = marks
        self.limits = limits
        self.clock = clock
        self.sent = 0
        self._accepted: list[tuple[Delivery, str]] = []
        self._unmarked: list[tuple[Delivery, str]] = []

    def record(self, deliveries: Sequence[Delivery], outcome: Outcome) -> datetime | None:
        """Store the outcome that is true of all; until when the provider needs a rest, if it does.

        Permanent is for one delivery: see `refused_together`.
        """
        until = self.gate.report(outcome)
        match outcome:
            case Accepted():
                accepted = [(delivery, outcome.message_id) for delivery in deliveries]
                self.accepted(accepted)
                self._unmarked += accepted
                if len(accepted) > 1:  # A single one's mark travels with that of the next.
                    self.mark_accepted()
                return until
            case Uncertain():
                self.uncertain(deliveries, outcome.answer)
                return until or (self._soon() if outcome.is_timeout else None)
            case Throttled() | Unavailable():
                until = until or self._soon()
                ledger.put_back(
                    [(delivery, until) for delivery in deliveries],
                    answer=outcome.answer,
                    attempts_change=-1,
                )
            case Retryable():
                self._failed(deliveries, outcome.answer)
            case Permanent():
                self._give_up(deliveries, Reason.REFUSED, outcome.answer)
        self._mark(lambda: self.marks.discard(deliveries))
        return until

    def refused_together(self, deliveries: Sequence[Delivery], outcome: Permanent) -> None:
        """Nobody knows yet which of these the provider refuses: they stay claimed."""
        self.gate.report(outcome)
        lease = timedelta(seconds=self.limits.lease_seconds)
        ledger.keep_claimed(deliveries, now=self.clock(), lease=lease)
        self._mark(lambda: self.marks.discard(deliveries))

    def accepted(self, accepted: Sequence[tuple[Delivery, str]]) -> None:
        """A provider has these, each with its id of the message."""
        self._accepted += accepted

    def take_marks(
        self,
        deliveries: Sequence[Delivery],
        *,
        at: datetime,
        before: Sequence[Entry],
        meanwhile: Callable[[], None],
    ) -> dict[int, Found]:
        """`SentMarks.take`, and in the same round trip the marks of what was accepted before."""
        entries = [*self.marks.acceptances(self._unmarked), *before]
        found = self.marks.take(deliveries, at=at, before=entries, meanwhile=meanwhile)
        self._unmarked = []
        return found

    def mark_accepted(self) -> None:
        """Mark what was accepted; call it before the ledger's next commit, outside of it."""
        unmarked, self._unmarked = self._unmarked, []
        self._mark(lambda: self.marks.accept(unmarked))

    def store_alone(self) -> None:
        """Mark what was accepted and write it into the ledger, if there is anything."""
        self.mark_accepted()
        if self._accepted:
            with transaction.atomic(durable=True):
                self.store_accepted()

    def store_accepted(self) -> None:
        """Write what was accepted into the ledger; call it inside a transaction."""
        self.sent += len(ledger.record_sent(self._accepted, now=self.clock()))
        self._accepted = []

    def uncertain(self, deliveries: Sequence[Delivery], answer: str) -> None:
        """Nobody knows whether the provider has these; their marks stay."""
        ledger.mark_uncertain(deliveries, answer=answer, reason=Reason.NO_ANSWER.value)

    def _failed(self, deliveries: Sequence[Delivery], answer: str) -> None:
        again: list[tuple[Delivery, datetime]] = []
        used_up: list[Delivery] = []
        for delivery in deliveries:
            if delivery.attempts >= self.limits.max_attempts:
                used_up.append(delivery)
            else:
                due_at = self.clock() + pause_after(delivery.attempts, self.limits)
                again.append((delivery, due_at))
        ledger.put_back(again, answer=answer)
        self._give_up(used_up, Reason.ATTEMPTS_USED_UP, answer)

    def _give_up(self, deliveries: Sequence[Delivery], reason: Reason, answer: str) -> None:
        ledger.give_up(deliveries, reason=reason.value, answer=answer, now=self.clock())

    def _soon(self) -> datetime:
        return self.clock() + pause_after(1, self.limits)

    def _mark(self, change: Callable[[], None]) -> None:
        """A mark that Redis does not take is missed only where the ledger is lost too."""
        try:
            change()
        except REDIS_ERRORS as error:
            logger.warning("Redis is away (%s); sent marks are missing.", type(error).__name__)
