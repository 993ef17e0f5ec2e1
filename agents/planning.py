"""Who gets what, what waits, and where the watermarks move: pure decisions over plain values.

Values in (the due agents of one person, the window's index, what the person was shown), a
decision out. No database, no clock. SPEC A3–A8 in one place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from agents.former_criteria import FormerCriteria, matched_at_the_time
from agents.matching import WindowIndex, lowest_bits


class AgentFacts(NamedTuple):
    """A due agent, as the planner sees it. The first six fields are its `SearchTerms`."""

    industries: Sequence[str]
    regions: Sequence[str]
    price_min: Decimal | None
    price_max: Decimal | None
    keywords: str
    include_on_request: bool
    id: int
    frequency: str
    watching_since: datetime
    matched_until: datetime
    last_run_at: datetime | None
    former_criteria: Sequence[FormerCriteria] = ()


@dataclass(frozen=True, slots=True)
class Window:
    """The half-open stretch of news a run looks at: everything before `cutoff`.

    `grace` reaches back for late commits; nothing older than `oldest` is looked at.
    """

    cutoff: datetime
    grace: timedelta
    oldest: datetime

    def start_for(self, agent: AgentFacts) -> datetime:
        """Where the agent's own window begins."""
        return max(agent.matched_until - self.grace, agent.watching_since, self.oldest)


@dataclass(frozen=True, slots=True)
class SectionPlan:
    """One agent's part of a digest, as masks over the window's index.

    `listed` stands in its section; `counted` stands in another section of the same mail and
    counts as shown by this agent too; `waiting` matched but did not fit.
    """

    agent: AgentFacts
    window_from: datetime
    listed: int
    counted: int
    waiting: int
    duplicates: int
    """How many of the counted ones are news since the agent's last run."""


@dataclass(frozen=True, slots=True)
class PersonPlan:
    """What a person gets. No section: there is nothing new, and no mail."""

    sections: tuple[SectionPlan, ...]
    watermarks: Mapping[int, datetime]
    """The new `matched_until` by agent id."""
    matched: int
    duplicates: int
    waiting: int

    @property
    def reported(self) -> int:
        """Companies that stand in the mail."""
        return sum(section.listed.bit_count() for section in self.sections)


class _Found(NamedTuple):
    """What one agent found: everything new to the person, and the news since its last run."""

    agent: AgentFacts
    window_from: datetime
    new: int
    news: int


def plan_person(
    agents: Sequence[AgentFacts],
    index: WindowIndex,
    shown: int,
    window: Window,
    max_companies: int,
    muted: int = 0,
) -> PersonPlan:
    """Decide one person's digest.

    `agents` are the person's due agents; `shown` masks the companies the person was ever shown
    (by any agent), `muted` those the person does not want; at most `max_companies` are listed,
    the newest of all agents' hits.
    """
    found = [_find(agent, index, shown, muted, window) for agent in agents]
    union = 0
    for one in found:
        union |= one.new
    chosen = lowest_bits(union, max_companies)
    sections = _share_out(found, chosen) if union else ()
    watermarks = {agent.id: max(window.cutoff, agent.matched_until) for agent in agents}
    for section in sections:
        if section.waiting:
            watermarks[section.agent.id] = index.oldest(section.waiting)
    duplicates = sum([section.duplicates for section in sections])
    matched = 0
    for one in found:
        matched += one.news.bit_count()
        duplicates += (one.news & shown).bit_count()
    return PersonPlan(
        sections, watermarks, matched, duplicates, waiting=(union & ~chosen).bit_count()
    )


def _find(agent: AgentFacts, index: WindowIndex, shown: int, muted: int, window: Window) -> _Found:
    """What matches in the agent's window; what is older than an edit must match both ways."""
    start = window.start_for(agent)
    hits = index.matches(agent) & index.news_since(start)
    if muted:
        hits &= ~muted
    if hits and agent.former_criteria:
        hits &= matched_at_the_time(agent.former_criteria, index)
    news = hits & index.news_since(agent.last_run_at) if agent.last_run_at else hits
    return _Found(agent, start, hits & ~shown, news)


def _share_out(found: Sequence[_Found], chosen: int) -> tuple[SectionPlan, ...]:
    """Give each chosen company to the narrowest agent that found it (the fewest hits)."""
    left, sections = chosen, {}
    for one in sorted(found, key=lambda one: (one.new.bit_count(), one.agent.id)):
        if one.new:
            counted = one.new & chosen & ~left
            sections[one.agent.id] = SectionPlan(
                agent=one.agent,
                window_from=one.window_from,
                listed=one.new & left,
                counted=counted,
                waiting=one.new & ~chosen,
                duplicates=(one.news & counted).bit_count(),
            )
            left &= ~one.new
    return tuple(sections[one.agent.id] for one in found if one.new)
