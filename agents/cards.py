"""A person's agents as the page of cards shows them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max, Q, QuerySet

from agents.models import ScheduledMailReport
from agents.wording import criteria_in_words
from marketplace.models import User
from notifications.models import State


@dataclass(frozen=True, slots=True)
class AgentCard:
    """An agent with what its row alone does not say."""

    agent: ScheduledMailReport
    criteria: str
    last_mail_at: datetime | None


def cards_of(user: User, language: str) -> list[AgentCard]:
    """The person's agents, oldest first, with their criteria in words."""
    return [
        AgentCard(agent, criteria_in_words(agent.criteria, language), agent.last_mail_at)
        for agent in _with_last_mail(ScheduledMailReport.objects.kept().filter(user=user))
    ]


def _with_last_mail(agents: QuerySet[ScheduledMailReport]) -> QuerySet[ScheduledMailReport]:
    """Annotated with `last_mail_at`: when a digest with a section of the agent was sent last."""
    sent = Q(sections__delivery__state=State.SENT)
    return agents.annotate(
        last_mail_at=Max("sections__delivery__finished_at", filter=sent)
    ).order_by("created_at", "pk")
