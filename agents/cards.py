"""A person's agents as the page of cards shows them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max

from agents.models import DigestSection, ScheduledMailReport
from listings.models import Industry, Region
from listings.wording import criteria_in_words, load_names
from marketplace.models import User
from notifications.models import State


@dataclass(frozen=True, slots=True)
class AgentCard:
    """An agent with what its row alone does not say."""

    agent: ScheduledMailReport
    criteria: str
    last_mail_at: datetime | None


def cards_of(user: User, language: str) -> list[AgentCard]:
    """The person's agents, oldest first; the number of queries does not grow with them."""
    agents = list(ScheduledMailReport.objects.kept().filter(user=user).order_by("created_at", "pk"))
    load_names(Industry, {code for agent in agents for code in agent.industries})
    load_names(Region, {code for agent in agents for code in agent.regions})
    last_mails = _last_mails([agent.pk for agent in agents])
    return [
        AgentCard(agent, criteria_in_words(agent.criteria, language), last_mails.get(agent.pk))
        for agent in agents
    ]


def _last_mails(agent_ids: Collection[int]) -> dict[int, datetime | None]:
    """When a digest with a section of each agent was sent last."""
    sent = DigestSection.objects.filter(agent__in=agent_ids, delivery__state=State.SENT)
    return dict(sent.values_list("agent").annotate(Max("delivery__finished_at")))
