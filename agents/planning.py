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
    next_run_at: datetime
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


def plan_person(
    agents: Sequence[AgentFacts],
    index: WindowIndex,
    shown: int,
    window: Window,
    max_companies: int,
) -> PersonPlan:
    """Decide one person's digest.

    `agents` are the person's due agents; `shown` masks the companies the person was ever shown
    (by any agent); at most `max_companies` are listed, the newest of all agents' hits.
    """
    starts = [window.start_for(agent) for agent in agents]
    hits = [_hits(agent, index, start) for agent, start in zip(agents, starts, strict=True)]
    new = [found & ~shown for found in hits]
    union = _union(new)
    chosen = lowest_bits(union, max_companies)
    listed = _share_out(chosen, agents, new)
    news = [
        index.news_since(agent.last_run_at or start)
        for agent, start in zip(agents, starts, strict=True)
    ]
    counted = [found & chosen & ~own for found, own in zip(new, listed, strict=True)]
    waiting = [found & ~chosen for found in new]
    return PersonPlan(
        sections=tuple(
            SectionPlan(*parts)
            for parts in zip(agents, starts, listed, counted, waiting, strict=True)
            if parts[2] or parts[3] or parts[4]
        ),
        watermarks={
            agent.id: index.oldest(left) if left else max(window.cutoff, agent.matched_until)
            for agent, left in zip(agents, waiting, strict=True)
        },
        matched=sum((found & fresh).bit_count() for found, fresh in zip(hits, news, strict=True)),
        duplicates=sum(
            (found & fresh & (shown | elsewhere)).bit_count()
            for found, fresh, elsewhere in zip(hits, news, counted, strict=True)
        ),
        waiting=(union & ~chosen).bit_count(),
    )


def _hits(agent: AgentFacts, index: WindowIndex, start: datetime) -> int:
    """What matches in the agent's window; what is older than an edit must match both ways."""
    hits = index.matches(agent) & index.news_since(start)
    if hits and agent.former_criteria:
        hits &= matched_at_the_time(agent.former_criteria, index)
    return hits


def _share_out(chosen: int, agents: Sequence[AgentFacts], new: Sequence[int]) -> list[int]:
    """Give each chosen company to the narrowest agent that found it (the fewest hits)."""
    listed = [0] * len(agents)
    left = chosen
    for place in sorted(range(len(agents)), key=lambda i: (new[i].bit_count(), agents[i].id)):
        listed[place] = left & new[place]
        left &= ~new[place]
    return listed


def _union(masks: Sequence[int]) -> int:
    union = 0
    for mask in masks:
        union |= mask
    return union
