"""A person's agents as the page of cards shows them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max

from agents.models import DigestSection, Outcome, ScheduledMailReport
from agents.waiting import COUNTED_UP_TO, waiting_hits
from listings.models import Industry, Region
from listings.wording import criteria_in_words, load_names
from marketplace.models import User
from notifications.models import DispatchLimits, Reason, State


@dataclass(frozen=True, slots=True)
class AgentCard:
    """An agent with what its row alone does not say."""

    agent: ScheduledMailReport
    criteria: str
    last_mail_at: datetime | None
    waiting: int
    """Companies for its next mail, at most `counted_up_to`; `waits_more` says there are more."""
    waits_more: bool
    is_due: bool
    """The next firing takes it."""

    @property
    def last_outcome(self) -> str:
        """What the last run did for it, in words, with the reason where there is one."""
        outcome = Outcome(self.agent.last_outcome).label
        if self.agent.last_reason in Reason.values:
            return f"{outcome}: {Reason(self.agent.last_reason).label}"
        return str(outcome)


def cards_of(user: User, language: str, now: datetime) -> list[AgentCard]:
    """The person's agents, oldest first; the number of queries does not grow with them."""
    mine = ScheduledMailReport.objects.kept().filter(user=user)
    return _cards(list(mine.order_by("created_at", "pk")), language, now)


def card_of(agent: ScheduledMailReport, language: str, now: datetime) -> AgentCard:
    """The card of one agent."""
    return _cards([agent], language, now)[0]


def is_full(user: User) -> int | None:
    """How many agents a person may have, when this one has them all."""
    limit = DispatchLimits.current().max_agents_per_user
    return limit if ScheduledMailReport.objects.kept().filter(user=user).count() >= limit else None


def _cards(agents: Sequence[ScheduledMailReport], language: str, now: datetime) -> list[AgentCard]:
    load_names(Industry, {code for agent in agents for code in agent.industries})
    load_names(Region, {code for agent in agents for code in agent.regions})
    last_mails = _last_mails([agent.pk for agent in agents])
    waiting = waiting_hits(agents, now)
    return [
        AgentCard(
            agent,
            criteria_in_words(agent.criteria, language),
            last_mails.get(agent.pk),
            min(waiting.get(agent.pk, 0), COUNTED_UP_TO),
            waiting.get(agent.pk, 0) > COUNTED_UP_TO,
            agent.next_run_at <= now,
        )
        for agent in agents
    ]


def _last_mails(agent_ids: Collection[int]) -> dict[int, datetime | None]:
    """When a digest with a section of each agent was sent last."""
    sent = DigestSection.objects.filter(agent__in=agent_ids, delivery__state=State.SENT)
    return dict(sent.values_list("agent").annotate(Max("delivery__finished_at")))
