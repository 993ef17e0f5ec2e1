"""The decisions about a chunk of people: what each of them gets, within the run's budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agents.counters import Counters
from agents.matching import WindowIndex
from agents.plan_reader import DuePerson, muted_by, shown_to
from agents.plan_writer import ChunkPlan
from agents.planning import Window, plan_person


class Decider:
    """Decides for the people of one run. `budget` says how many more mails it may plan."""

    def __init__(self, window: Window, max_companies: int, budget: int) -> None:
        self.window = window
        self.max_companies = max_companies
        self.budget = budget

    def decide(
        self, people: Sequence[DuePerson], barred: Mapping[int, str], index: WindowIndex
    ) -> ChunkPlan:
        """Who gets what, and why the `barred` get nothing; each mail takes of the budget."""
        user_ids = [person.user_id for person in people]
        shown, muted = shown_to(user_ids, index), muted_by(user_ids, index)
        chunk = ChunkPlan(counters=Counters(due=len(people)))
        for person in people:
            if reason := barred.get(person.user_id):
                chunk.ineligible.append((person, reason))
            else:
                chunk.counters.eligible += 1
                hidden = shown.get(person.user_id, 0), muted.get(person.user_id, 0)
                self._decide_person(person, index, hidden, chunk)
        return chunk

    def _decide_person(
        self, person: DuePerson, index: WindowIndex, hidden: tuple[int, int], chunk: ChunkPlan
    ) -> None:
        shown, muted = hidden
        plan = plan_person(person.agents, index, shown, self.window, self.max_companies, muted)
        counters = chunk.counters
        if plan.sections and self.budget <= 0:
            chunk.deferred.append(person)
            counters.deferred += 1
            return
        counters.matched += plan.matched
        counters.duplicates += plan.duplicates
        if not plan.sections:
            chunk.nothing_new.append((person, plan))
            return
        self.budget -= 1
        chunk.mailed.append((person, plan))
        counters.digests += 1
        counters.reported += plan.reported
        counters.waiting += plan.waiting
