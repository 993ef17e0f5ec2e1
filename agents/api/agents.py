"""The API's addresses of search agents: list, make, read, change, pause, resume, delete."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Header, Path, Query, Router
from ninja.responses import Status

from agents.api.idempotency import once
from agents.api.schemas import AgentChange, AgentIn, AgentOut, AgentPage, Problem
from agents.api.values import agent_values
from agents.editing import change_agent, create_agent, delete_agent, pause_agent, resume_agent
from agents.models import ScheduledMailReport
from marketplace.api_access import caller

router = Router(tags=["Search agents"])
PAGE_SIZE = 20
BIGGEST_ID = 2**63 - 1
# What any operation may answer beside its success.
REFUSED = {frozenset({400, 401, 403, 422, 429}): Problem}
REFUSED_FOR_ONE = {frozenset({400, 401, 403, 404, 422, 429}): Problem}
REFUSED_TO_STORE = {frozenset({400, 401, 403, 404, 409, 422, 429}): Problem}

AgentId = Annotated[int, Path(ge=1, le=BIGGEST_ID)]


@router.get("/agents", response={200: AgentPage, **REFUSED}, operation_id="list_agents")
def list_agents(
    request: HttpRequest, after: Annotated[int, Query(ge=0, le=BIGGEST_ID)] = 0
) -> AgentPage:
    """Your search agents, oldest first, 20 a page."""
    agents = ScheduledMailReport.objects.kept().filter(user=caller(request), pk__gt=after)
    rows = list(agents.order_by("pk")[: PAGE_SIZE + 1])
    page = rows[:PAGE_SIZE]
    following = str(page[-1].pk) if len(rows) > PAGE_SIZE else None
    return AgentPage(items=[AgentOut.of(agent) for agent in page], next=following)


@router.post("/agents", response={201: AgentOut, **REFUSED_TO_STORE}, operation_id="create_agent")
def create(
    request: HttpRequest,
    response: HttpResponse,
    data: AgentIn,
    idempotency_key: Annotated[str, Header(alias="Idempotency-Key", max_length=200)] = "",
) -> Status[AgentOut]:
    """Make a search agent that watches from now on.

    Sent again with the same `Idempotency-Key` within a day, it answers the agent that it made
    first. 409 when you have as many agents as there may be, or one with the same criteria.
    """
    user = caller(request)

    def make() -> int:
        values = agent_values(data, None)
        agent = create_agent(user, **values, now=timezone.now(), refuse_same=not data.allow_same)
        return agent.pk

    agent = own_agent(request, once(user, idempotency_key, data.model_dump_json(), make))
    return Status(201, AgentOut.of(agent))


@router.get(
    "/agents/{agent_id}", response={200: AgentOut, **REFUSED_FOR_ONE}, operation_id="get_agent"
)
def read(request: HttpRequest, agent_id: AgentId) -> AgentOut:
    """One search agent."""
    return AgentOut.of(own_agent(request, agent_id))


@router.patch(
    "/agents/{agent_id}", response={200: AgentOut, **REFUSED_TO_STORE}, operation_id="change_agent"
)
def change(request: HttpRequest, agent_id: AgentId, data: AgentChange) -> AgentOut:
    """Change what is given. New criteria apply to news from now on; nothing comes twice."""
    agent = own_agent(request, agent_id)
    values = agent_values(data, agent)
    agent = change_agent(agent, **values, now=timezone.now(), refuse_same=not data.allow_same)
    return AgentOut.of(agent)


@router.delete(
    "/agents/{agent_id}", response={204: None, **REFUSED_FOR_ONE}, operation_id="delete_agent"
)
def delete(request: HttpRequest, agent_id: AgentId) -> Status[None]:
    """Take the agent away."""
    delete_agent(own_agent(request, agent_id), timezone.now())
    return Status(204, None)


@router.post(
    "/agents/{agent_id}/pause",
    response={200: AgentOut, **REFUSED_FOR_ONE},
    operation_id="pause_agent",
)
def pause(request: HttpRequest, agent_id: AgentId) -> AgentOut:
    """Switch it off: it sends no mail. Repeating it changes nothing."""
    return AgentOut.of(pause_agent(own_agent(request, agent_id), timezone.now()))


@router.post(
    "/agents/{agent_id}/resume",
    response={200: AgentOut, **REFUSED_FOR_ONE},
    operation_id="resume_agent",
)
def resume(request: HttpRequest, agent_id: AgentId) -> AgentOut:
    """Switch it on again, from now on. Repeating it changes nothing."""
    return AgentOut.of(resume_agent(own_agent(request, agent_id), timezone.now()))


def own_agent(request: HttpRequest, agent_id: int) -> ScheduledMailReport:
    """The caller's agent of this id; 404 for others' and deleted ones."""
    agents = ScheduledMailReport.objects.kept().filter(user=caller(request))
    return get_object_or_404(agents, pk=agent_id)
