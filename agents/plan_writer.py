"""What a run writes for a chunk of people: digests, what they show, where watermarks move.

Set-based: one statement a table, whatever the number of people. Called inside one transaction.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

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
    "agent_id": "bigint", "user_id": "bigint", "company_id": "bigint", "delivery_id": "bigint",
    "is_listed": "boolean", "reported_at": "timestamptz",
}  # fmt: skip
AGENT_COLUMNS = {
    "id": "bigint", "matched_until": "timestamptz", "last_run_at": "timestamptz",
    "next_run_at": "timestamptz", "last_outcome": "text", "last_reason": "text",
    "former_criteria": "jsonb",
}  # fmt: skip

Mailed = tuple[DuePerson, PersonPlan]


@dataclass(frozen=True, slots=True)
class WriteTerms:
    """The run, its moments, and the limits that matter for writing."""

    run_id: int
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
        "agents_reportedcompany", REPORTED_COLUMNS, _reported_rows(mailed, ids, index, terms.now)
    )
    update_rows("agents_scheduledmailreport", AGENT_COLUMNS, _agent_rows(chunk, terms))
    return list(ids.values())


def _key(person: DuePerson, terms: WriteTerms) -> str:
    return f"{DIGEST}:{terms.run_id}:{person.user_id}"


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
                for company_id in index.company_ids(mask):
                    yield (
                        section.agent.id, person.user_id, company_id, ids[person.user_id],
                        is_listed, now,
                    )  # fmt: skip


def _agent_rows(chunk: ChunkPlan, terms: WriteTerms) -> Iterator[tuple[object, ...]]:
    """Advance who was processed; who is deferred stays due, and so is first in line."""
    processed = ((Outcome.MAILED, chunk.mailed), (Outcome.NOTHING_NEW, chunk.nothing_new))
    for outcome, people in processed:
        for person, plan in people:
            for agent in person.agents:
                watermark = plan.watermarks[agent.id]
                yield (
                    agent.id, watermark, terms.cutoff, _next_run(agent, person, terms),
                    outcome.value, "", _former_after(agent, watermark - terms.grace),
                )  # fmt: skip
    for person, reason in chunk.ineligible:
        for agent in person.agents:
            yield (
                agent.id, agent.matched_until, agent.last_run_at, _next_run(agent, person, terms),
                Outcome.NOT_ELIGIBLE.value, reason, _former_after(agent, agent.matched_until),
            )  # fmt: skip
    for person in chunk.deferred:
        for agent in person.agents:
            yield (
                agent.id, agent.matched_until, agent.last_run_at, agent.next_run_at,
                Outcome.DEFERRED.value, "", _former_after(agent, agent.watching_since),
            )  # fmt: skip


def _next_run(agent: AgentFacts, person: DuePerson, terms: WriteTerms) -> datetime:
    return next_run_after(agent.frequency, person.times, terms.at)


def _former_after(agent: AgentFacts, start: datetime) -> str:
    """What the agent asked for before its edits, as far as windows from `start` still reach."""
    return (
        json.dumps(former_to_json(agent.former_criteria, start)) if agent.former_criteria else "[]"
    )
