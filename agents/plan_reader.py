"""What a run reads: who is due, the news of the window, what people were shown before."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db.models import F, Func, Min, QuerySet, TextField
from django.db.models.functions import Cast, Greatest

from agents.former_criteria import former_from_json
from agents.matching import WindowCompany, WindowIndex
from agents.models import MutedCompany, ReportedCompany, ScheduledMailReport
from agents.planning import AgentFacts, Window
from agents.schedule import MailTimes
from listings.keywords import lexemes_of
from listings.models import Company, Industry, Region
from marketplace.id_arrays import these
from notifications.models import Delivery

AGENT_COLUMNS = (
    "industries", "regions", "price_min", "price_max", "keywords", "include_on_request",
    "id", "frequency", "watching_since", "matched_until",
    "last_run_at", "edits",
)  # fmt: skip
PERSON_COLUMNS = (
    "user_id", "user__email", "user__mail_hour", "user__mail_weekday",
    "user__mail_day_of_month", "user__time_zone",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DuePerson:
    """A person with agents due in this run."""

    user_id: int
    address: str
    times: MailTimes
    agents: tuple[AgentFacts, ...]


def people_due(frequency: str, at: datetime, agent_id: int | None = None) -> list[int]:
    """Ids of people with agents due, longest waiting first. One query, ids only."""
    return list(
        ScheduledMailReport.objects.to_plan(frequency, at, agent_id)
        .values("user_id")
        .annotate(waiting_since=Min("next_run_at"))
        .order_by("waiting_since", "user_id")
        .values_list("user_id", flat=True)
    )


def read_due(
    frequency: str,
    at: datetime,
    user_ids: Collection[int],
    *,
    lock: bool,
    agent_id: int | None = None,
) -> list[DuePerson]:
    """These people with their due agents, in the order of `user_ids`; the agents locked."""
    agents = ScheduledMailReport.objects.to_plan(frequency, at, agent_id)
    agents = agents.filter(user_id__in=these(user_ids))
    if lock:
        agents = agents.select_for_update(of=("self",))
    # As text: nearly all are empty, and reading JSON for each row would take a while.
    agents = agents.annotate(edits=Cast("former_criteria", TextField()))
    people: dict[int, list[AgentFacts]] = defaultdict(list)
    persons: dict[int, tuple[str, MailTimes]] = {}
    for row in agents.order_by("id").values_list(*PERSON_COLUMNS, *AGENT_COLUMNS):
        user_id, address, *times = row[: len(PERSON_COLUMNS)]
        people[user_id].append(_agent_facts(row[len(PERSON_COLUMNS) :]))
        persons[user_id] = (address, _mail_times(*times))
    return [
        DuePerson(user_id, *persons[user_id], tuple(people[user_id]))
        for user_id in user_ids
        if user_id in people
    ]


def read_window(
    frequency: str, at: datetime, window: Window, agent_id: int | None = None
) -> WindowIndex:
    """The index over everything any due agent of the tier could match. Constant queries."""
    due = ScheduledMailReport.objects.to_plan(frequency, at, agent_id)
    start = due.aggregate(
        start=Min(Greatest(F("matched_until") - window.grace, F("watching_since")))
    )["start"]
    if start is None:
        return WindowIndex([], {}, window.cutoff)
    start = max(start, window.oldest)
    lexemes = lexemes_of(_keywords_of(due))
    wanted = {lexeme for texts in lexemes.values() for text in texts for lexeme in text}
    return WindowIndex(_companies(start, window.cutoff, wanted), lexemes, start)


def covered(people: Sequence[DuePerson], index: WindowIndex, window: Window) -> list[DuePerson]:
    """Those whose agents the index can answer for.

    It is read before the agents are locked. Who edits one in between may ask for keywords it does
    not know, or reach further back: they stay as they are, due, and the next firing takes them.
    """
    return [
        person
        for person in people
        if all(_is_covered(agent, index, window) for agent in person.agents)
    ]


def _is_covered(agent: AgentFacts, index: WindowIndex, window: Window) -> bool:
    start = window.start_for(agent)
    if not index.covers(agent.keywords, start):
        return False
    # Asked first: nearly all have none, and a generator for each of them would take a while.
    return not agent.former_criteria or all(
        index.covers(former.terms.keywords, start) for former in agent.former_criteria
    )


def without_digest(run_id: int, people: Sequence[DuePerson]) -> list[DuePerson]:
    """Leave out whoever has this run's digest already: an agent made due since waits its turn."""
    mailed = set(
        Delivery.objects.filter(
            kind="digest",
            subject_id=run_id,
            user_id__in=these([person.user_id for person in people]),
        ).values_list("user_id", flat=True)
    )
    return [person for person in people if person.user_id not in mailed]


def shown_to(user_ids: Collection[int], index: WindowIndex) -> dict[int, int]:
    """For each person the mask of the index's companies they were ever shown, by any agent."""
    return _masks_of(ReportedCompany.objects.listed(), user_ids, index)


def muted_by(user_ids: Collection[int], index: WindowIndex) -> dict[int, int]:
    """For each person the mask of the index's companies they do not want to be shown."""
    return _masks_of(MutedCompany.objects.all(), user_ids, index)


def _masks_of(
    pairs: QuerySet[ReportedCompany] | QuerySet[MutedCompany],
    user_ids: Collection[int],
    index: WindowIndex,
) -> dict[int, int]:
    masks: dict[int, int] = defaultdict(int)
    if not index.size:
        return masks
    rows = pairs.filter(user_id__in=these(user_ids), company__fresh_at__gte=index.fresh_at[-1])
    for user_id, company_id in rows.values_list("user_id", "company_id"):
        if (position := index.position_of.get(company_id)) is not None:
            masks[user_id] |= 1 << position
    return masks


def _companies(start: datetime, cutoff: datetime, wanted: set[str]) -> Iterator[WindowCompany]:
    """The window's published companies, newest first, streamed."""
    news = Company.objects.published(cutoff).filter(fresh_at__gte=start, fresh_at__lt=cutoff)
    columns = ["id", "fresh_at", "industry_id", "region_id", "price_eur"]
    if wanted:
        news = news.annotate(lexemes=Func("search_vector", function="tsvector_to_array"))
        columns.append("lexemes")
    industries, regions = _lineage(Industry.objects.all()), _lineage(Region.objects.all())
    for row in news.newest_first().values_list(*columns).iterator(chunk_size=5000):
        id_, fresh_at, industry, region, price, *lexemes = row
        yield WindowCompany(
            id_, fresh_at, industries[industry], regions[region], price,
            [lexeme for lexeme in lexemes[0] if lexeme in wanted] if lexemes else (),
        )  # fmt: skip


def _lineage(nodes: QuerySet[Industry] | QuerySet[Region]) -> dict[str, tuple[str, ...]]:
    """Each code with itself and its parent: choosing a parent includes its children."""
    return {
        code: (code, parent) if parent else (code,)
        for code, parent in nodes.values_list("code", "parent_id")
    }


def _keywords_of(due: QuerySet[ScheduledMailReport]) -> set[str]:
    """Every keywords text that the run will ask for, those before an edit included."""
    texts = set(due.exclude(keywords="").values_list("keywords", flat=True).distinct())
    for former in due.exclude(former_criteria=[]).values_list("former_criteria", flat=True):
        texts |= {entry["criteria"]["keywords"] for entry in former}
    return texts


def _agent_facts(columns: tuple[Any, ...]) -> AgentFacts:
    edits = columns[-1]
    former = () if edits == "[]" else former_from_json(json.loads(edits))
    return AgentFacts._make((*columns[:-1], former))


@lru_cache(maxsize=8192)
def _mail_times(hour: int, weekday: int, day: int, zone: str) -> MailTimes:
    return MailTimes(hour, weekday, day, zone)
