"""Pages of a person's search agents. Others' agents do not exist here (404)."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from agents.cards import cards_of
from agents.editing import (
    UnableToAddAgent,
    change_agent,
    create_agent,
    delete_agent,
    pause_agent,
    resume_agent,
)
from agents.forms import AgentForm, agent_as_initial
from agents.models import DigestSection, ScheduledMailReport
from agents.waiting import companies_waiting
from listings.criteria import Criteria
from listings.forms import CriteriaForm, criteria_as_initial
from listings.paging import page_of
from listings.wording import criteria_in_words
from marketplace.people import signed_in
from notifications.eligibility import ineligibility_of
from notifications.models import DispatchLimits, Reason


@login_required
def agent_list(request: HttpRequest) -> HttpResponse:
    """My agents as cards, and why no mail comes, when that is so."""
    user = signed_in(request)
    cards = cards_of(user, get_language() or "en")
    barred_by = ineligibility_of([user.pk], timezone.now()).get(user.pk)
    limit = DispatchLimits.current().max_agents_per_user
    context = {
        "cards": cards,
        "limit": limit,
        "is_full": len(cards) >= limit,
        "barred_because": Reason(barred_by).label if barred_by else "",
    }
    return render(request, "agents/list.html", context)


@login_required
def agent_new(request: HttpRequest) -> HttpResponse:
    """Make an agent; a search in the URL is taken over into the form."""
    if request.method == "POST":
        form = AgentForm(request.POST)
        if form.is_valid() and _created(request, form):
            return redirect("agents:list")
    else:
        form = AgentForm(initial=_searched(request))
    return render(request, "agents/form.html", {"form": form})


def _created(request: HttpRequest, form: AgentForm) -> bool:
    """Store the agent; False when the limit forbids it, which the form then says."""
    try:
        agent = create_agent(signed_in(request), **form.agent_values(), now=timezone.now())
    except UnableToAddAgent as error:
        form.add_error(None, str(error))
        return False
    messages.success(request, _("“%(name)s” now watches for you.") % {"name": agent.name})
    return True


def _searched(request: HttpRequest) -> dict[str, object]:
    """The search in the URL as initial values; nothing when it cannot be read."""
    search = CriteriaForm(request.GET)
    return criteria_as_initial(search.criteria) if search.is_valid() else {}


@login_required
def agent_edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Change name, criteria or frequency."""
    agent = _own(request, pk)
    if request.method == "POST":
        form = AgentForm(request.POST)
        if form.is_valid():
            change_agent(agent, **form.agent_values(), now=timezone.now())
            messages.success(request, _("Your changes are saved."))
            return redirect("agents:list")
    else:
        form = AgentForm(initial=agent_as_initial(agent))
    return render(request, "agents/form.html", {"form": form, "agent": agent})


@login_required
@require_POST
def agent_switch(request: HttpRequest, pk: int) -> HttpResponse:
    """`on=1` switches on, everything else off; sent twice it does nothing more."""
    agent = _own(request, pk)
    if request.POST.get("on") == "1":
        resume_agent(agent, timezone.now())
        text = _("“%(name)s” is switched on and watches from now on.")
    else:
        pause_agent(agent, timezone.now())
        text = _("“%(name)s” is switched off: it sends no mail.")
    messages.success(request, text % {"name": agent.name})
    return redirect("agents:list")


@login_required
@require_POST
def agent_delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Take the agent away."""
    agent = _own(request, pk)
    delete_agent(agent, timezone.now())
    messages.success(request, _("“%(name)s” is deleted.") % {"name": agent.name})
    return redirect("agents:list")


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
