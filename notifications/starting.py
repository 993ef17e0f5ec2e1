"""Marking deliveries as being handed over, several in one commit where they go one by one.

Each call to a provider needs its row committed before. A commit costs more than the rest of a
message, so the rows of the next few are started together, and the accepted ones before them are
recorded in the same transaction. What has been handed over inside such a chunk is known by the
sent marks; see `witnesses` for why "no mark" can be believed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import timedelta

from django.db import transaction

from notifications import ledger
from notifications.models import Delivery
from notifications.recording import Clock, Recorder

# Above this the commit is a small part of a message's cost.
MOST_TOGETHER = 50
# So long may an accepted message wait for its record: a slow provider gets small chunks.
CHUNK_SECONDS = 1.0

# Up to so many of the deliveries that come next, each in a request of its own.
Coming = Callable[[int], Sequence[Delivery]]


class Starter:
    """Starts deliveries. A chunk is one message at first, then twice as many each time.

    So a provider that refuses everything is asked about few, and a slow one gets small chunks.
    """

    def __init__(
        self, provider_name: str, recorder: Recorder, lease: timedelta, clock: Clock
    ) -> None:
        self._provider_name = provider_name
        self._recorder = recorder
        self._lease = lease
        self._clock = clock
        self._size = 1
        self._ahead: dict[int, Delivery] = {}
        self._ends = 0.0
        self.at = clock()

    def start(self, deliveries: Sequence[Delivery], coming: Coming) -> set[int]:
        """Those that are still ours, committed as being handed over since `self.at`; their ids.

        `deliveries` stand in one request. Some of those that are coming may be started along.
        """
        if self._are_started(deliveries):
            return {self._ahead.pop(delivery.pk).pk for delivery in deliveries}
        self.slow_down()
        ahead = coming(self._size - 1) if len(deliveries) == 1 else []
        started = self._commit([*deliveries, *ahead])
        self._ahead = {delivery.pk: delivery for delivery in ahead if delivery.pk in started}
        self._ends = time.monotonic() + CHUNK_SECONDS
        self._size = min(2 * self._size, MOST_TOGETHER)
        return started

    def _are_started(self, deliveries: Sequence[Delivery]) -> bool:
        if not self._ahead or time.monotonic() >= self._ends:
            return False
        return all(delivery.pk in self._ahead for delivery in deliveries)

    def _commit(self, deliveries: Sequence[Delivery]) -> set[int]:
        self._recorder.mark_accepted()
        self.at = self._clock()
        with transaction.atomic(durable=True):
            self._recorder.store_accepted()
            return ledger.start_dispatching(
                deliveries, provider=self._provider_name, now=self.at, lease=self._lease
            )

    def slow_down(self) -> None:
        """Give back what was started ahead, if anything was: it is only claimed, as before."""
        if not self._ahead:
            return
        ahead, self._ahead = list(self._ahead.values()), {}
        self._size = 1
        ledger.undo_start(ahead, now=self._clock(), lease=self._lease)

    def settle_down(self) -> None:
        """Somebody has to wait: nothing stays started or unrecorded meanwhile."""
        self.slow_down()
        self._size = 1
        self._recorder.store_alone()
