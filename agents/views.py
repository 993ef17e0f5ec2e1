"""Pages of a person's search agents. Others' agents do not exist here (404)."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from agents.cards import card_of, cards_of
from agents.editing import UnableToAddAgent, delete_agent, pause_agent, resume_agent
from agents.models import DigestSection, ScheduledMailReport
from agents.restoring import UNDO_FOR, UnableToRestore, recently_deleted, restore_agent
from agents.waiting import companies_waiting
from listings.criteria import Criteria
from listings.paging import page_of
from listings.wording import criteria_in_words
from marketplace.methods import require_POST, require_safe
from marketplace.people import signed_in
from notifications.eligibility import ineligibility_of
from notifications.models import DispatchLimits, Reason


@require_safe
@login_required
def agent_list(request: HttpRequest) -> HttpResponse:
    """My agents as cards, and why no mail comes, when that is so."""
    user, now = signed_in(request), timezone.now()
    cards = cards_of(user, get_language() or "en", now)
    barred_by = ineligibility_of([user.pk], now).get(user.pk)
    limit = DispatchLimits.current().max_agents_per_user
    context = {
        "cards": cards,
        "deleted": recently_deleted(user, now),
        "undo_minutes": int(UNDO_FOR.total_seconds() // 60),
        "limit": limit,
        "is_full": len(cards) >= limit,
        "barred_because": Reason(barred_by).label if barred_by else "",
    }
    return render(request, "agents/list.html", context)


@require_POST
@login_required
def agent_switch(request: HttpRequest, pk: int) -> HttpResponse:
    """`on=1` switches on, everything else off; sent twice it does nothing more.

    htmx gets the agent's card, others the list.
    """
    agent = _own(request, pk)
    if request.POST.get("on") == "1":
        agent = resume_agent(agent, timezone.now())
        text = _("“%(name)s” is switched on and watches from now on.")
    else:
        agent = pause_agent(agent, timezone.now())
        text = _("“%(name)s” is switched off: it sends no mail.")
    told = text % {"name": agent.name}
    if request.headers.get("HX-Request") == "true":
        card = card_of(agent, get_language() or "en", timezone.now())
        context = {"card": card, "agent": card.agent, "told": told}
        return render(request, "agents/card.html", context)
    messages.success(request, told)
    return redirect("agents:list")


@require_POST
@login_required
def agent_delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Take the agent away; the list offers to take that back. Sent twice it does nothing more."""
    agent = get_object_or_404(ScheduledMailReport, pk=pk, user=signed_in(request))
    delete_agent(agent, timezone.now())
    return redirect("agents:list")


@require_POST
@login_required
def agent_restore(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a deletion back; sent twice it does nothing more."""
    agent = get_object_or_404(ScheduledMailReport, pk=pk, user=signed_in(request))
    try:
        restore_agent(agent, timezone.now())
    except (UnableToRestore, UnableToAddAgent) as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("“%(name)s” is back as it was.") % {"name": agent.name})
    return redirect("agents:list")


@require_safe
@login_required
def agent_matches(request: HttpRequest, pk: int, section_pk: int) -> HttpResponse:
    """Exactly the companies that a mail said were waiting."""
    sections = DigestSection.objects.select_related("agent", "delivery")
    user = signed_in(request)
    section = get_object_or_404(sections, pk=section_pk, agent=pk, agent__user=user)
    page = page_of(
        companies_waiting(section).select_related("industry", "region"),
        after=request.GET.get("after", ""),
        before=request.GET.get("before", ""),
    )
    criteria = Criteria.from_json(section.criteria)
    context = {
        "agent": section.agent,
        "criteria": criteria_in_words(criteria, get_language() or "en"),
        "page": page,
    }
    return render(request, "agents/matches.html", context)


def _own(request: HttpRequest, pk: int) -> ScheduledMailReport:
    """The signed-in person's agent of this id, or 404."""
    return get_object_or_404(ScheduledMailReport.objects.kept(), pk=pk, user=signed_in(request))
