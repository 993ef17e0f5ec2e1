"""Making and changing a search agent, with a preview of what it would find."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from agents.cards import is_full
from agents.editing import (
    UnableToAddAgent,
    UnableToAddSame,
    UnableToOverwrite,
    change_agent,
    create_agent,
    version_of,
)
from agents.forms import AgentForm, agent_as_initial
from agents.frequency import Frequency
from agents.models import ScheduledMailReport
from agents.preview import Preview, preview_of
from listings.criteria import EVERYTHING, Criteria
from listings.forms import CriteriaForm, criteria_as_initial
from listings.wording import criteria_in_words
from marketplace.methods import require_form, require_POST
from marketplace.people import signed_in
from marketplace.rate_limits import limited


@require_form
@login_required
def agent_new(request: HttpRequest) -> HttpResponse:
    """Make an agent; a search in the URL is taken over into the form."""
    if request.method != "POST":
        criteria = _searched(request)
        form = AgentForm(initial=criteria_as_initial(criteria))
        return _page(request, form, preview=_preview(request, criteria, Frequency.WEEKLY))
    form = AgentForm(request.POST)
    if not form.is_valid():
        return _page(request, form)
    try:
        agent = create_agent(
            signed_in(request),
            **form.agent_values(),
            now=timezone.now(),
            refuse_same="anyway" not in request.POST,
        )
    except UnableToAddAgent as error:
        form.add_error(None, str(error))
        return _page(request, form)
    except UnableToAddSame as error:
        return _page(request, form, same=error.existing)
    messages.success(request, _("“%(name)s” now watches for you.") % {"name": agent.name})
    return redirect("agents:list")


@require_form
@login_required
def agent_edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Change name, criteria or frequency; what somebody else has changed since is not lost."""
    agent = _own(request, pk)
    if request.method != "POST":
        form = AgentForm(initial=agent_as_initial(agent))
        preview = _preview(request, agent.criteria, agent.frequency)
        return _page(request, form, agent, preview=preview)
    form = AgentForm(request.POST)
    if not form.is_valid():
        return _page(request, form, agent)
    try:
        change_agent(
            agent,
            **form.agent_values(),
            now=timezone.now(),
            seen=request.POST.get("seen", ""),
            refuse_same="anyway" not in request.POST,
        )
    except UnableToAddSame as error:
        return _page(request, form, agent, same=error.existing)
    except UnableToOverwrite as error:
        return _page(request, form, error.stored, is_changed=True)
    messages.success(request, _("Your changes are saved."))
    return redirect("agents:list")


@require_POST
@login_required
@limited("preview")
def agent_preview(request: HttpRequest, pk: int | None = None) -> HttpResponse:
    """What the form's criteria find: the part of the page for htmx, else the whole page."""
    agent = None if pk is None else _own(request, pk)
    search = CriteriaForm(request.POST)
    preview = None
    if search.is_valid():
        preview = _preview(request, search.criteria, request.POST.get("frequency", ""))
    if request.headers.get("HX-Request") == "true":
        context = {"preview": preview, "errors": search.errors, "agent": agent}
        return render(request, "agents/preview.html", context)
    form = AgentForm(request.POST)
    form.errors.pop("name", None)  # not asked for yet
    return _page(request, form, agent, preview=preview)


def _page(
    request: HttpRequest,
    form: AgentForm,
    agent: ScheduledMailReport | None = None,
    *,
    preview: Preview | None = None,
    same: ScheduledMailReport | None = None,
    is_changed: bool = False,
) -> HttpResponse:
    """The form; `agent` is the one that is changed, `same` one with the same criteria."""
    language = get_language() or "en"
    context = {
        "form": form,
        "agent": agent,
        "seen": _version_to_change(request, agent, is_changed),
        "preview": preview,
        "errors": form.errors,
        "same": same,
        "is_changed": is_changed,
        "stored": criteria_in_words(agent.criteria, language) if agent and is_changed else "",
        "limit": is_full(signed_in(request)) if agent is None else None,
    }
    return render(request, "agents/form.html", context)


def _version_to_change(
    request: HttpRequest, agent: ScheduledMailReport | None, is_changed: bool
) -> str:
    """The version that the form's values stand for; after a warning, the one it has shown."""
    if agent is None:
        return ""
    if request.method == "POST" and not is_changed:
        return request.POST.get("seen", "")[:64]
    return version_of(agent)


def _preview(request: HttpRequest, criteria: Criteria, frequency: str) -> Preview:
    known = frequency if frequency in Frequency.values else Frequency.WEEKLY
    return preview_of(signed_in(request), criteria, known, timezone.now())


def _searched(request: HttpRequest) -> Criteria:
    """The search in the URL; everything when it cannot be read."""
    search = CriteriaForm(request.GET)
    return search.criteria if search.is_valid() else EVERYTHING


def _own(request: HttpRequest, pk: int) -> ScheduledMailReport:
    """The signed-in person's agent of this id, or 404."""
    return get_object_or_404(ScheduledMailReport.objects.kept(), pk=pk, user=signed_in(request))
