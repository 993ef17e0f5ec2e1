"""The gate before a provider: what its operators, its quota or its state forbid does not leave."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from notifications.backoff import resume_at
from notifications.limiter import breaker, token_bucket
from notifications.limiter.server import REDIS_ERRORS
from notifications.limiter.token_bucket import Cause
from notifications.measures import PAUSES, REFUSED_TOKENS
from notifications.models import Delivery, DispatchLimits, ProviderQuota
from notifications.providers.base import Accepted, Outcome, Throttled, Unavailable, Uncertain

logger = logging.getLogger(__name__)

# Nobody is told when an operator resumes, or Redis returns: look again after this.
OPERATOR_PAUSE = timedelta(seconds=60)
REDIS_PAUSE = timedelta(seconds=5)
# Without a quota there is nothing to count: a pause or an open breaker is noticed after this.
GLANCE_SECONDS = 0.1

REASONS = {
    Cause.PAUSED: "The provider has asked to wait.",
    Cause.BROKEN: "The provider does not answer.",
    Cause.SPENT: "The quota is used up.",
    Cause.FORGOTTEN: "The quota of the day is being counted.",
}


@dataclass(frozen=True, slots=True)
class Admitted:
    """`granted` messages may leave now; of a larger cost, ask for the rest again.

    `clock_us` is Redis' time of the grant.
    """

    granted: int
    clock_us: int


@dataclass(frozen=True, slots=True)
class NotYet:
    """Nothing may leave before `until`; `reason` is for logs and operators."""

    until: datetime
    reason: str


class ProviderGate:
    """Asks before each request to one provider, and is told what became of it.

    Make one for each batch: it reads the provider's quota, so that a change is in force at once.
    """

    def __init__(
        self,
        provider_name: str,
        clock: Callable[[], datetime],
        limits: DispatchLimits | None = None,
    ) -> None:
        self.provider_name = provider_name
        self._clock = clock
        self._limits = limits or DispatchLimits.current()
        self._quota = ProviderQuota.of(provider_name)
        self._windows = token_bucket.windows_of(self._quota)
        share = self._limits.account_share_percent
        self._bulk_windows = [window.left_for_bulk(share) for window in self._windows]
        self._failures_seen = 0
        self._has_waited = False
        self._free_until = 0.0
        self._last_clock_us = 0

    def admit(self, cost: int, *, is_account_mail: bool) -> Admitted | NotYet:
        """Take the tokens for up to `cost` messages, in every window at once.

        The grant is all, or what is free, so a cost above every quota makes progress in parts.
        The first time a handful must be free; who has waited takes whatever there is, or small
        requests would starve large ones. Account mails may use all of a quota, others what
        their share leaves. Without Redis: NotYet.
        """
        if self._quota.is_paused:
            return self._operator_pause()
        if time.monotonic() < self._free_until:
            return Admitted(cost, self._last_clock_us)
        windows = self._windows if is_account_mail else self._bulk_windows
        least = 1 if self._has_waited else token_bucket.worthwhile(windows, cost)
        try:
            answer = token_bucket.take(
                self.provider_name,
                windows,
                cost=cost,
                least=least,
                breaker_failures=self._limits.breaker_failures,
                sent_within=self._sent_within,
            )
        except REDIS_ERRORS as error:
            return self._without_redis(error)
        self._failures_seen = answer.failures
        self._has_waited = answer.cause is Cause.SPENT
        if answer.granted:
            self._glance(answer)
            return Admitted(answer.granted, answer.clock_us)
        REFUSED_TOKENS.add(self.provider_name, answer.cause.name.lower())
        return NotYet(self._clock() + answer.wait, REASONS[answer.cause])

    def _glance(self, answer: token_bucket.Answer) -> None:
        """Where nothing is counted and nothing has failed, the next messages need not ask."""
        if not self._windows and not answer.failures:
            self._free_until = time.monotonic() + GLANCE_SECONDS
            self._last_clock_us = answer.clock_us

    def resting(self) -> NotYet | None:
        """What keeps every message back for now, apart from the quota; takes no token."""
        if self._quota.is_paused:
            return self._operator_pause()
        try:
            rest = breaker.rest_of(self.provider_name)
        except REDIS_ERRORS as error:
            return self._without_redis(error)
        return NotYet(self._clock() + rest.left, REASONS[rest.cause]) if rest else None

    def report(self, outcome: Outcome) -> datetime | None:
        """Draw the consequences for all workers; until when nobody may ask, where that follows."""
        if not isinstance(outcome, Accepted):
            self._free_until = 0.0
        match outcome:
            case Throttled():
                return self._pause(outcome)
            case Unavailable(is_auth=True):
                return self._pause_for_operator(outcome)
            case Unavailable() | Uncertain():
                return self._failed()
        if self._failures_seen:
            self._tell(lambda: breaker.forget_failures(self.provider_name))
            self._failures_seen = 0
        return None

    def was_not_used(self) -> None:
        """An admitted message did not leave after all: somebody else may try the provider."""
        if self._failures_seen:
            self._tell(lambda: breaker.give_up_probe(self.provider_name))

    def _pause(self, outcome: Throttled) -> datetime:
        now = self._clock()
        until = resume_at(outcome.until, now)
        logger.warning("%s asks to wait until %s.", self.provider_name, until.isoformat())
        self._tell(lambda: breaker.pause(self.provider_name, until - now))
        PAUSES.add(self.provider_name, "asked_to_wait")
        return until

    def _pause_for_operator(self, outcome: Unavailable) -> datetime:
        now = self._clock()
        logger.error(
            "UnableToSend: %s refuses us; it is paused until an operator resumes it: %s",
            self.provider_name,
            outcome.answer,
        )
        reason = f"The provider refuses our key, account or sender: {outcome.answer}"[:300]
        running = ProviderQuota.objects.filter(provider=self.provider_name, paused_at=None)
        running.update(paused_at=now, pause_reason=reason, updated_at=now)
        self._quota.paused_at, self._quota.pause_reason = now, reason
        self._tell(lambda: breaker.give_up_probe(self.provider_name))
        PAUSES.add(self.provider_name, "refused")
        return now + OPERATOR_PAUSE

    def _failed(self) -> datetime | None:
        self._failures_seen += 1
        rest = timedelta(seconds=self._limits.breaker_pause_seconds)
        allowed = self._limits.breaker_failures
        is_open = self._tell(lambda: breaker.count_failure(self.provider_name, allowed, rest))
        if not is_open:
            return None
        PAUSES.add(self.provider_name, "breaker")
        seconds = rest.total_seconds()
        logger.warning("Breaker open: %s rests for %.0f s.", self.provider_name, seconds)
        return self._clock() + rest

    def _tell(self, change: Callable[[], bool | None]) -> bool:
        """Tell all workers, if Redis is there; without it nobody is admitted anyway."""
        try:
            return bool(change())
        except REDIS_ERRORS as error:
            logger.warning("Redis is away (%s); other workers learn nothing.", type(error).__name__)
            return False

    def _operator_pause(self) -> NotYet:
        return NotYet(self._clock() + OPERATOR_PAUSE, self._quota.pause_reason)

    def _without_redis(self, error: Exception) -> NotYet:
        logger.warning("Redis is away (%s); nothing is sent.", type(error).__name__)
        return NotYet(self._clock() + REDIS_PAUSE, "Redis is away.")

    def _sent_within(self, length: timedelta) -> int:
        """How many were handed over lately, by the ledger: what Redis has forgotten."""
        since = self._clock() - length
        handed_over = Delivery.objects.filter(provider=self.provider_name, dispatched_at__gt=since)
        return handed_over.count()
