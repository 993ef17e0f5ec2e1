"""A report run: one firing of one tier, from the due agents to deliveries in the ledger.

A thin shell around `agents.planning`. People are planned in chunks, longest waiting first, each
chunk in one transaction (deliveries, what they show, watermarks, the run's counters): a planner
killed anywhere leaves whole chunks behind, and the next firing goes on with whoever is still due.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from django.db import connection, transaction
from django.db.models.functions import Now

from agents.chunking import even_chunks
from agents.counters import Counters
from agents.deciding import Decider
from agents.frequency import Frequency
from agents.matching import WindowIndex
from agents.models import ReportRun
from agents.plan_reader import covered, people_due, read_due, read_window, without_digest
from agents.plan_writer import DIGEST, ChunkPlan, WriteTerms, write_chunk
from agents.planner_lock import PATIENCE_SECONDS, planner_lock
from agents.planning import Window
from agents.run_rows import add_counters, counters_of, open_run
from agents.uncollected import uncollected
from notifications.eligibility import ineligibility_of
from notifications.log_context import bound
from notifications.models import Delivery, DispatchLimits
from notifications.queueing import enqueue

logger = logging.getLogger(__name__)

CHUNK_SIZE = 2000
PLANNERS = 2
"""Chunks that are planned and stored at the same time, each on a connection of its own."""
FARTHEST = timedelta(days=366)
"""How far from now a firing may be pretended to be."""

Progress = Callable[[int, int], None]
"""Told after each chunk: people done, people in all."""


@dataclass(frozen=True, slots=True)
class OneAgent:
    """A run of a single agent. `watch` is told what was decided, before anything is stored."""

    agent_id: int
    patience_seconds: float = 5
    watch: Callable[[ChunkPlan, WindowIndex], None] | None = None


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a firing did. `run_id` is None for a dry run, which writes nothing."""

    run_id: int | None
    frequency: str
    occurrence: datetime
    counters: Counters


def run_reports(
    frequency: str,
    *,
    now: datetime,
    at: datetime | None = None,
    occurrence: datetime | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
    only: OneAgent | None = None,
) -> RunResult:
    """Fire a tier: plan a digest for everybody who is due at `at` (default: now).

    News up to `at` counts, but never from the future, and the next runs follow from the real
    time: firing ahead of time silences nobody. A second call with the same `occurrence`
    (default: `at`) joins the first: a person gets at most one digest a run, and the run's budget
    of mails is not doubled. With `only`, one agent runs, due or not, and nobody else. Raises
    ValueError for an unknown frequency or a time more than `FARTHEST` away, and UnableToPlan when
    another planner does not come to an end.
    """
    frequency = Frequency(frequency).value
    at = at or now
    if not now - FARTHEST <= at <= now + FARTHEST:
        raise ValueError(f"A firing may be at most {FARTHEST.days} days away from now.")
    occurrence = occurrence or at
    with planner_lock(only.patience_seconds if only else PATIENCE_SECONDS):
        firing = _Firing(frequency, now, at, min(at, now), progress, only)
        if dry_run:
            return RunResult(None, frequency, occurrence, firing.plan(None))
        run = open_run(frequency, occurrence, firing.now, firing.cutoff, only is not None)
        if run.finished_at is None:
            with bound(run_id=run.pk):
                firing.plan_and_finish(run)
    return RunResult(run.pk, frequency, occurrence, counters_of(run))


class _Firing:
    """The planning of one firing: its moments, limits and budget."""

    def __init__(
        self,
        frequency: str,
        now: datetime,
        at: datetime,
        cutoff: datetime,
        progress: Progress | None,
        only: OneAgent | None,
    ) -> None:
        limits = DispatchLimits.current()
        self.frequency, self.now, self.at, self.cutoff = frequency, now, at, cutoff
        self.progress = progress or (lambda done, total: None)
        self.agent_id = only.agent_id if only else None
        self.watch = only.watch if only else None
        self.is_joined = False  # whether an earlier firing has planned digests of this run
        self.valid_for = timedelta(hours=limits.digest_valid_hours)
        self.window = Window(
            cutoff=cutoff,
            grace=timedelta(seconds=limits.late_commit_grace_seconds),
            oldest=cutoff - timedelta(days=limits.max_listing_age_days),
        )
        self.decider = Decider(self.window, limits.max_companies, limits.max_mails_per_run)

    def plan_and_finish(self, run: ReportRun) -> None:
        """Plan, close the run, and log what it did."""
        logger.info("Run starts: %s of %s", run.frequency, run.occurrence.isoformat())
        self.plan(run)
        ReportRun.objects.filter(pk=run.pk).update(finished_at=Now())
        run.refresh_from_db()
        logger.info("Run ends: %s", run.frequency, extra={"counts": counters_of(run).as_dict()})

    def plan(self, run: ReportRun | None) -> Counters:
        """Plan everybody who is due; without a run nothing is written."""
        waiting = people_due(self.frequency, self.at, self.agent_id)
        if run is not None:
            planned = Delivery.objects.filter(kind=DIGEST, subject_id=run.pk).count()
            self.decider.budget -= planned
            self.is_joined = planned > 0
        total, done = Counters(), 0
        with uncollected():
            for size, counters in self._plan_chunks(waiting, run):
                total.add(counters)
                done += size
                self.progress(done, len(waiting))
        return total

    def _plan_chunks(
        self, waiting: Sequence[int], run: ReportRun | None
    ) -> Iterator[tuple[int, Counters]]:
        """Plan chunk by chunk; two at a time where the budget is enough for everybody.

        Then no chunk needs to know what the others took of it, and the database stores one chunk
        while the next is being planned. Inside a transaction there is only one connection.
        """
        chunks = even_chunks(waiting, CHUNK_SIZE, PLANNERS)
        index: Future[WindowIndex] = Future()
        is_enough = run is not None and self.decider.budget >= len(waiting)
        if len(chunks) < 2 or not is_enough or connection.in_atomic_block:
            self._read_window(index)
            for user_ids in chunks:
                yield len(user_ids), self._plan_in_transaction(user_ids, index, run)
            return
        with ThreadPoolExecutor(PLANNERS) as pool:
            plan = partial(self._plan_on_own_connection, index=index, run=run)
            planned = pool.map(plan, chunks)
            # The first chunks read their people meanwhile.
            self._read_window(index)
            yield from zip(map(len, chunks), planned, strict=True)

    def _read_window(self, index: Future[WindowIndex]) -> None:
        try:
            index.set_result(read_window(self.frequency, self.at, self.window, self.agent_id))
        except BaseException as error:
            index.set_exception(error)  # or the planners would wait for ever
            raise

    def _plan_on_own_connection(
        self, user_ids: Sequence[int], index: Future[WindowIndex], run: ReportRun | None
    ) -> Counters:
        with bound(run_id=run.pk if run else 0), closing(connection):
            return self._plan_in_transaction(user_ids, index, run)

    def _plan_in_transaction(
        self, user_ids: Sequence[int], index: Future[WindowIndex], run: ReportRun | None
    ) -> Counters:
        with transaction.atomic():
            return self._plan_chunk(user_ids, index, run)

    def _plan_chunk(
        self, user_ids: Sequence[int], window_index: Future[WindowIndex], run: ReportRun | None
    ) -> Counters:
        people = read_due(
            self.frequency, self.at, user_ids, lock=run is not None, agent_id=self.agent_id
        )
        if run is not None and self.is_joined:
            people = without_digest(run.pk, people)
        barred = ineligibility_of([person.user_id for person in people], self.now)
        index = window_index.result()
        chunk = self.decider.decide(covered(people, index, self.window), barred, index)
        if self.watch:
            self.watch(chunk, index)
        if run is not None:
            at, grace = min(self.at, self.now), self.window.grace
            terms = WriteTerms(run.pk, run.name, self.now, at, self.cutoff, grace, self.valid_for)
            deliveries = write_chunk(chunk, index, terms)
            add_counters(run, chunk.counters)
            transaction.on_commit(partial(enqueue, deliveries))
        return chunk.counters
