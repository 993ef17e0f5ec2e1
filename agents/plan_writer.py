"""What a run writes for a chunk of people: digests, what they show, where watermarks move.

Set-based: one statement a table, whatever the number of people. Called inside one transaction.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import connection

from agents.counters import Counters
from agents.former_criteria import former_to_json
from agents.matching import WindowIndex
from agents.models import Outcome
from agents.plan_reader import DuePerson
from agents.planning import AgentFacts, PersonPlan, SectionPlan
from agents.schedule import next_run_after
from listings.criteria import criteria_json
from marketplace.bulk import insert_rows, update_rows
from notifications.ledger import NewDelivery, open_deliveries

DIGEST = "digest"

SECTION_COLUMNS = {
    "delivery_id": "bigint", "agent_id": "bigint", "criteria": "jsonb",
    "former_criteria": "jsonb", "frequency": "text", "window_from": "timestamptz", "waiting": "int",
    "waiting_from": "timestamptz", "waiting_until": "timestamptz",
}  # fmt: skip
REPORTED_COLUMNS = {
    "agent_id": "bigint", "user_id": "bigint", "company_id": "bigint[]", "delivery_id": "bigint",
    "is_listed": "boolean", "reported_at": "timestamptz",
}  # fmt: skip
PROCESSED_COLUMNS = {
    "id": "bigint", "matched_until": "timestamptz", "last_run_at": "timestamptz",
    "next_run_at": "timestamptz", "last_outcome": "text", "last_reason": "text",
}  # fmt: skip
INELIGIBLE_COLUMNS = {
    "id": "bigint", "next_run_at": "timestamptz", "last_outcome": "text", "last_reason": "text",
}  # fmt: skip
DEFERRED_COLUMNS = {"id": "bigint", "last_outcome": "text", "last_reason": "text"}
FORMER_COLUMNS = {"id": "bigint", "former_criteria": "jsonb"}

Mailed = tuple[DuePerson, PersonPlan]


@dataclass(frozen=True, slots=True)
class WriteTerms:
    """The run, its moments, and the limits that matter for writing."""

    run_id: int
    run_name: str
    now: datetime
    at: datetime
    cutoff: datetime
    grace: timedelta
    valid_for: timedelta


@dataclass(slots=True)
class ChunkPlan:
    """The decisions about a chunk of people."""

    mailed: list[Mailed] = field(default_factory=list)
    nothing_new: list[Mailed] = field(default_factory=list)
    deferred: list[DuePerson] = field(default_factory=list)
    ineligible: list[tuple[DuePerson, str]] = field(default_factory=list)
    counters: Counters = field(default_factory=Counters)


def write_chunk(chunk: ChunkPlan, index: WindowIndex, terms: WriteTerms) -> list[int]:
    """Store the decisions; the ids of the deliveries that were opened."""
    opened = open_deliveries([_delivery(person, terms) for person, _ in chunk.mailed])
    ids = {
        person.user_id: opened[_key(person, terms)]
        for person, _ in chunk.mailed
        if _key(person, terms) in opened
    }
    mailed = [(person, plan) for person, plan in chunk.mailed if person.user_id in ids]
    insert_rows("agents_digestsection", SECTION_COLUMNS, _section_rows(mailed, ids, index))
    insert_rows(
        "agents_reportedcompany", REPORTED_COLUMNS, _reported_rows(mailed, ids, index, terms.now),
        row_for_each="company_id",
    )  # fmt: skip
    # Now: an agent's row is cheaper to refer to before its own update, and after the caller's
    # next statement other chunks wait for the run's row.
    connection.check_constraints()
    for columns, rows in (
        (PROCESSED_COLUMNS, _processed_rows(chunk, terms)),
        (INELIGIBLE_COLUMNS, _ineligible_rows(chunk, terms)),
        (DEFERRED_COLUMNS, _deferred_rows(chunk)),
        (FORMER_COLUMNS, _former_rows(chunk, terms)),
    ):
        update_rows("agents_scheduledmailreport", columns, rows)
    return list(ids.values())


def _key(person: DuePerson, terms: WriteTerms) -> str:
    return f"{DIGEST}:{terms.run_name}:{person.user_id}"


def _delivery(person: DuePerson, terms: WriteTerms) -> NewDelivery:
    return NewDelivery(
        idempotency_key=_key(person, terms),
        kind=DIGEST,
        user_id=person.user_id,
        address=person.address,
        subject_id=terms.run_id,
        created_at=terms.now,
        expires_at=terms.now + terms.valid_for,
    )


def _section_rows(
    mailed: Sequence[Mailed], ids: Mapping[int, int], index: WindowIndex
) -> Iterator[tuple[object, ...]]:
    for person, plan in mailed:
        for section in plan.sections:
            yield _section_row(ids[person.user_id], section, index)


def _section_row(delivery_id: int, section: SectionPlan, index: WindowIndex) -> tuple[object, ...]:
    agent, waiting = section.agent, section.waiting
    bounds = (index.oldest(waiting), index.newest(waiting)) if waiting else (None, None)
    criteria = json.dumps(criteria_json(agent))
    return (
        delivery_id, agent.id, criteria, _former_after(agent, section.window_from),
        agent.frequency, section.window_from, waiting.bit_count(), *bounds,
    )  # fmt: skip


def _reported_rows(
    mailed: Sequence[Mailed], ids: Mapping[int, int], index: WindowIndex, now: datetime
) -> Iterator[tuple[object, ...]]:
    for person, plan in mailed:
        for section in plan.sections:
            for is_listed, mask in ((True, section.listed), (False, section.counted)):
                if mask:
                    yield (
                        section.agent.id, person.user_id, index.company_ids(mask),
                        ids[person.user_id], is_listed, now,
                    )  # fmt: skip


def _processed_rows(chunk: ChunkPlan, terms: WriteTerms) -> Iterator[tuple[object, ...]]:
    """Whoever got a digest, or was found to have nothing new, moves on."""
    processed = ((Outcome.MAILED, chunk.mailed), (Outcome.NOTHING_NEW, chunk.nothing_new))
    for outcome, people in processed:
        for person, plan in people:
            for agent in person.agents:
                yield (
                    agent.id, plan.watermarks[agent.id], terms.cutoff,
                    _next_run(agent, person, terms), outcome.value, "",
                )  # fmt: skip


def _ineligible_rows(chunk: ChunkPlan, terms: WriteTerms) -> Iterator[tuple[object, ...]]:
    """Whoever may get no mail is looked at next time again; the news waits."""
    for person, reason in chunk.ineligible:
        for agent in person.agents:
            yield agent.id, _next_run(agent, person, terms), Outcome.NOT_ELIGIBLE.value, reason


def _deferred_rows(chunk: ChunkPlan) -> Iterator[tuple[object, ...]]:
    """Whoever is deferred stays due, and so is first in line."""
    for person in chunk.deferred:
        for agent in person.agents:
            yield agent.id, Outcome.DEFERRED.value, ""


def _former_rows(chunk: ChunkPlan, terms: WriteTerms) -> Iterator[tuple[int, str]]:
    """What the few agents with edits no longer need to remember of them."""
    for person, plan in (*chunk.mailed, *chunk.nothing_new):
        for agent in person.agents:
            if agent.former_criteria:
                start = plan.watermarks[agent.id] - terms.grace
                yield agent.id, _former_after(agent, start)


def _next_run(agent: AgentFacts, person: DuePerson, terms: WriteTerms) -> datetime:
    return next_run_after(agent.frequency, person.times, terms.at)


def _former_after(agent: AgentFacts, start: datetime) -> str:
    """What the agent asked for before its edits, as far as windows from `start` still reach."""
    return (
        json.dumps(former_to_json(agent.former_criteria, start)) if agent.former_criteria else "[]"
    )
