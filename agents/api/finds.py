"""The API's addresses of what search agents find and have mailed."""

from __future__ import annotations

from typing import Annotated

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import get_language
from ninja import Query, Router

from agents.api.agents import REFUSED, REFUSED_FOR_ONE, AgentId, own_agent
from agents.api.schemas import MailPage
from agents.history import history_of
from agents.muting import not_muted_by
from agents.waiting import companies_for_next_mail
from listings.api_schemas import CompanyOut, CompanyPage
from listings.models import Company
from listings.paging import page_of
from marketplace.api_access import caller
from notifications.models import DispatchLimits

router = Router(tags=["What they find"])

After = Annotated[
    str,
    Query(
        pattern=r"^([0-9]{1,17}-[0-9]{1,18})?$",
        description="The `next` of the page before; empty for the first.",
    ),
]
Before = Annotated[
    str,
    Query(
        pattern=r"^[0-9]{0,18}$",
        description="The `next` of the page before; empty for the newest.",
    ),
]


@router.get(
    "/agents/{agent_id}/matches",
    response={200: CompanyPage, **REFUSED_FOR_ONE},
    operation_id="list_matches",
)
def matches(request: HttpRequest, agent_id: AgentId, after: After = "") -> CompanyPage:
    """Every company that matches now, also those that a mail has shown; 20 a page."""
    agent = own_agent(request, agent_id)
    found = Company.objects.published(timezone.now())
    return _page(found.filter(agent.criteria.q(), not_muted_by(agent.user_id)), after)


@router.get(
    "/agents/{agent_id}/waiting",
    response={200: CompanyPage, **REFUSED_FOR_ONE},
    operation_id="list_waiting",
)
def waiting(request: HttpRequest, agent_id: AgentId, after: After = "") -> CompanyPage:
    """The companies that wait for the agent's next mail; none while it is paused."""
    agent = own_agent(request, agent_id)
    if not agent.is_active:
        return CompanyPage(items=[], next=None)
    now = timezone.now()
    return _page(companies_for_next_mail(agent, DispatchLimits.current(), now), after)


@router.get(
    "/agents/{agent_id}/history",
    response={200: MailPage, **REFUSED_FOR_ONE},
    operation_id="list_agent_mails",
)
def agent_history(request: HttpRequest, agent_id: AgentId, before: Before = "") -> MailPage:
    """The mails with companies of this agent, 10 a page."""
    agent = own_agent(request, agent_id)
    page = history_of(caller(request), get_language() or "en", agent, before=before)
    return MailPage.of(page)


@router.get("/history", response={200: MailPage, **REFUSED}, operation_id="list_mails")
def history(request: HttpRequest, before: Before = "") -> MailPage:
    """All your mails with companies, 10 a page."""
    return MailPage.of(history_of(caller(request), get_language() or "en", before=before))


def _page(companies: QuerySet[Company], after: str) -> CompanyPage:
    page = page_of(companies, after=after)
    return CompanyPage(
        items=[CompanyOut.of(company) for company in page.companies], next=page.older or None
    )
