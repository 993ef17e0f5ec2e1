"""Handing a batch to a provider, request by request: ask the gate, mark, commit, call, record."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from notifications import account_mail, ledger
from notifications.limiter import Admitted, NotYet, ProviderGate
from notifications.limiter.gate import REDIS_PAUSE
from notifications.limiter.server import REDIS_ERRORS
from notifications.log_context import bound
from notifications.measures import REQUEST_TIME, WAITED
from notifications.messages import Message
from notifications.models import Delivery, DispatchLimits
from notifications.portions import Portions
from notifications.providers.base import Accepted, Outcome, Permanent, Provider, Uncertain
from notifications.recording import Clock, Recorder
from notifications.sent_marks import Found, SentMarks
from notifications.starting import Starter
from notifications.witnesses import Entry, memory_of_redis
from notifications.witnesses import entry as witness_entry

logger = logging.getLogger(__name__)

# The quota of a second comes back so soon that waiting for it uses it best.
LONGEST_WAIT = timedelta(seconds=1)
# After so long a batch goes to the end of the queue, so that others get their turn.
TURN_SECONDS = 10

Item = tuple[Delivery, Message]


@dataclass(slots=True)
class Dispatched:
    """How many the provider took, and which deliveries want another turn in the queue."""

    sent: int = 0
    unfinished: list[Delivery] = field(default_factory=list)


class Dispatch:
    """One batch on its way through one provider.

    "Being handed over" is committed before each call, in one transaction with the record of the
    requests before: a worker that dies leaves at most one request whose outcome is not known.
    Of those that were started along with it the sent marks tell that they never left.
    """

    def __init__(
        self, provider: Provider, gate: ProviderGate, limits: DispatchLimits, clock: Clock
    ) -> None:
        self.provider = provider
        self.gate = gate
        self.marks = SentMarks(limits)
        self.recorder = Recorder(gate, self.marks, limits, clock)
        self.limits = limits
        self.clock = clock
        lease = timedelta(seconds=limits.lease_seconds)
        self.starter = Starter(provider.name, self.recorder, lease, clock)
        self._memory: str | None = None
        self._witnessed_at: datetime | None = None
        self._turn_ends = time.monotonic() + TURN_SECONDS

    def run(self, composed: Sequence[Item]) -> Dispatched:
        """Hand over all, account mails first. Stops when the provider needs a rest."""
        try:
            unfinished = self._work_off(Portions(self._requests(composed)))
        finally:
            # Even when the ledger is away: what a provider has taken is known.
            self.recorder.mark_accepted()
        self.recorder.store_alone()
        return Dispatched(self.recorder.sent, unfinished)

    def _work_off(self, portions: Portions[Item]) -> list[Delivery]:
        """Portion by portion; those that want another turn."""
        while portions:
            portion = portions.take()
            admitted = self._admit(portion)
            if isinstance(admitted, NotYet):
                self.starter.slow_down()
                return self._postpone(portion + portions.rest(), admitted.until)
            rest_until = self._hand_over(portions, portions.only(portion, admitted.granted))
            if rest_until is not None:
                self.starter.slow_down()
                self._postpone(portions.rest(), rest_until)
                break
        return []

    def _requests(self, composed: Sequence[Item]) -> list[list[Item]]:
        """What may stand in one request each. Account mails never share one with others."""
        items = {delivery.pk: (delivery, message) for delivery, message in composed}
        requests: list[list[Item]] = []
        for are_account_mails in (True, False):
            pairs = [
                (delivery.pk, message)
                for delivery, message in composed
                if _is_account_mail(delivery) is are_account_mails
            ]
            batches = self.provider.batches(pairs)
            requests += [[items[pk] for pk, _message in batch] for batch in batches]
        return requests

    def _admit(self, portion: Sequence[Item]) -> Admitted | NotYet:
        """Ask the gate. Short waits happen here, longer ones in the ledger."""
        delivery, _message = portion[0]
        lease_ends = delivery.lease_expires_at
        while True:
            now = self.clock()
            if (lease_ends and now >= lease_ends) or time.monotonic() >= self._turn_ends:
                return NotYet(now, "This batch has had its turn.")
            answer = self.gate.admit(len(portion), is_account_mail=_is_account_mail(delivery))
            if isinstance(answer, Admitted):
                return answer
            wait = answer.until - self.clock()
            if wait > LONGEST_WAIT or (lease_ends and answer.until >= lease_ends):
                return answer
            self.starter.settle_down()
            wait = max(wait, timedelta(0))
            time.sleep(wait.total_seconds())
            WAITED.add(self.provider.name, time=wait)

    def _hand_over(self, portions: Portions[Item], admitted: list[Item]) -> datetime | None:
        """One request, and its record; until when the provider needs a rest, if it does."""
        started = self._start(portions, admitted)
        try:
            free = self._marked(started, self.starter.at) if started else []
        except REDIS_ERRORS as error:
            portions.has_ended()
            return self._without_redis(started, error)
        if not free:
            self.gate.was_not_used()
            portions.has_ended()
            return None
        for delivery, message in portions.coming_alone(1):
            self.provider.expect(delivery.pk, message)
        outcome = self._ask_and_time(free)
        deliveries = [delivery for delivery, _message in free]
        if isinstance(outcome, Permanent) and len(free) > 1:
            self.recorder.refused_together(deliveries, outcome)
            portions.was_refused(free)
            return None
        (portions.was_accepted if isinstance(outcome, Accepted) else portions.has_ended)()
        return self.recorder.record(deliveries, outcome)

    def _start(self, portions: Portions[Item], items: Sequence[Item]) -> list[Item]:
        """Mark in the ledger and commit; those that are still ours."""
        started = self.starter.start(
            [delivery for delivery, _message in items],
            lambda most: [delivery for delivery, _message in portions.coming_alone(most)],
        )
        return [item for item in items if item[0].pk in started]

    def _marked(self, items: Sequence[Item], at: datetime) -> list[Item]:
        """Mark in Redis; those that nobody has handed over yet, as far as Redis knows."""
        deliveries = [delivery for delivery, _message in items]
        witness = self._witness_of(deliveries[0])
        found = self.recorder.take_marks(
            deliveries, at=at, before=witness, meanwhile=partial(self._get_ready, items)
        )
        # Whatever follows, the ledger knows of it: from now on the mark is this attempt's.
        doubtful = [d for d, _ in items if d.pk in found and not found[d.pk].is_accepted]
        self.marks.replace(doubtful, at=at)
        free: list[Item] = []
        for delivery, message in items:
            mark = found.get(delivery.pk)
            if mark is None or not self._settle_by(mark, delivery):
                delivery.dispatched_at = at
                free.append((delivery, message))
        return free

    def _witness_of(self, delivery: Delivery) -> list[Entry]:
        """What is to be written before the first call of a chunk."""
        if self.starter.at == self._witnessed_at:
            return []
        if self._memory is None:
            self._memory = memory_of_redis()
        self._witnessed_at = self.starter.at
        token, limits = delivery.lease_token, self.limits
        return [witness_entry(token, at=self.starter.at, memory=self._memory, limits=limits)]

    def _settle_by(self, mark: Found, delivery: Delivery) -> bool:
        """Settle what an attempt has left that the ledger knows nothing of; False: send it."""
        is_taken = True if mark.is_accepted else self.provider.was_accepted(delivery)
        if is_taken is False:
            return False
        logger.warning("Delivery %s was handed over before: %s.", delivery.pk, mark.word)
        if is_taken:
            message_id = mark.detail if mark.is_accepted else ""
            self.recorder.accepted([(delivery, message_id)])
        else:
            self.recorder.uncertain([delivery], "An attempt that the ledger has lost.")
        return True

    def _get_ready(self, items: Sequence[Item]) -> None:
        """While Redis answers, the provider may prepare."""
        try:
            if len(items) == 1:
                delivery, message = items[0]
                self.provider.get_ready(delivery.pk, message)
        except Exception as error:
            # `send` meets it again, and its answer counts.
            logger.debug("%s is not ready: %s", self.provider.name, type(error).__name__)

    def _ask_and_time(self, items: Sequence[Item]) -> Outcome:
        started = time.monotonic()
        with bound(delivery_ids=[delivery.pk for delivery, _message in items]):
            outcome = self._ask(items)
        taken = timedelta(seconds=time.monotonic() - started)
        answer = type(outcome).__name__.lower()
        REQUEST_TIME.observe(self.provider.name, answer, time=taken)
        return outcome

    def _ask(self, items: Sequence[Item]) -> Outcome:
        pairs = [(delivery.pk, message) for delivery, message in items]
        try:
            return (
                self.provider.send(*pairs[0])
                if len(pairs) == 1
                else (self.provider.send_many(pairs))
            )
        except Exception as error:
            logger.exception("UnableToSend: the adapter of %s failed", self.provider.name)
            return Uncertain(type(error).__name__)

    def _without_redis(self, items: Sequence[Item], error: Exception) -> datetime:
        """Nobody was asked: the attempt does not count."""
        logger.warning("Redis is away (%s); the batch waits.", type(error).__name__)
        until = self.clock() + REDIS_PAUSE
        ledger.put_back([(delivery, until) for delivery, _ in items], attempts_change=-1)
        return until

    def _postpone(self, rest: Sequence[Item], due_at: datetime) -> list[Delivery]:
        """The provider was not asked about these; they wait without having failed.

        Answers those whose time has come already: they want another turn.
        """
        is_due = due_at <= self.clock()
        deliveries = [delivery for delivery, _message in rest]
        due = [(delivery, due_at) for delivery in deliveries]
        ledger.put_back(due, enqueued_at=due_at if is_due else None)
        return deliveries if is_due else []


def _is_account_mail(delivery: Delivery) -> bool:
    return delivery.kind == account_mail.KIND
