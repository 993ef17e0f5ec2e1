"""Search agents and their mails as the API reads and writes them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from ninja import Schema
from pydantic import ConfigDict, Field

from agents.frequency import Frequency
from agents.history import HistoryPage, PastMail
from agents.models import ScheduledMailReport
from listings.api_schemas import CriteriaIn, CriteriaOut
from listings.criteria import criteria_json

Name = Annotated[str, Field(min_length=1, max_length=100, pattern=r"\S")]


class AgentIn(Schema):
    """A new agent. `allow_same` lets it be even though another one has the same criteria."""

    model_config = ConfigDict(extra="forbid")

    name: Name
    frequency: Frequency = Frequency.WEEKLY
    criteria: CriteriaIn = CriteriaIn()
    allow_same: bool = False


class AgentChange(Schema):
    """What is to change; what is left out stays. New criteria replace all of the old ones."""

    model_config = ConfigDict(extra="forbid")

    name: Name | None = None
    frequency: Frequency | None = None
    criteria: CriteriaIn | None = None
    allow_same: bool = False


class AgentOut(Schema):
    """A search agent. `next_run_at` is null while it is paused."""

    id: int
    name: str
    frequency: Frequency
    criteria: CriteriaOut
    is_active: bool
    created_at: datetime
    last_run_at: datetime | None
    last_outcome: str
    next_run_at: datetime | None

    @classmethod
    def of(cls, agent: ScheduledMailReport) -> AgentOut:
        """The agent as the API shows it."""
        return cls(
            id=agent.pk,
            name=agent.name,
            frequency=Frequency(agent.frequency),
            criteria=CriteriaOut(**criteria_json(agent)),
            is_active=agent.is_active,
            created_at=agent.created_at,
            last_run_at=agent.last_run_at,
            last_outcome=agent.last_outcome,
            next_run_at=agent.next_run_at if agent.is_active else None,
        )


class AgentPage(Schema):
    """Agents, oldest first; `next` is the `after` of the following page."""

    items: list[AgentOut]
    next: str | None


class MailPartOut(Schema):
    """An agent's part of a mail: the companies it showed, and how many it had to leave out."""

    agent_id: int
    agent_name: str
    company_ids: list[int]
    waiting: int


class MailOut(Schema):
    """A mail to the person, and what became of it in plain words."""

    id: int
    kind: str
    state: str
    state_in_words: str
    at: datetime
    parts: list[MailPartOut]

    @classmethod
    def of(cls, mail: PastMail) -> MailOut:
        """The mail as the API shows it."""
        parts = [
            MailPartOut(
                agent_id=part.section.agent_id,
                agent_name=part.section.agent.name,
                company_ids=[company.pk for company in part.companies],
                waiting=part.section.waiting,
            )
            for part in mail.parts
        ]
        delivery = mail.delivery
        return cls(
            id=delivery.pk,
            kind=delivery.kind,
            state=delivery.state,
            state_in_words=mail.state.words,
            at=mail.at,
            parts=parts,
        )


class MailPage(Schema):
    """Mails, newest first; `next` is the `before` of the following page."""

    items: list[MailOut]
    next: str | None

    @classmethod
    def of(cls, page: HistoryPage) -> MailPage:
        """The page of the history as the API shows it."""
        return cls(items=[MailOut.of(mail) for mail in page.mails], next=page.older or None)


class FieldProblem(Schema):
    """What is wrong with one field; `field` is empty when it is about the whole."""

    field: str
    message: str


class Problem(Schema):
    """The shape of every answer that is not a success."""

    status: int
    title: str
    detail: str
    errors: list[FieldProblem] = []
