"""What was mailed: the history of a person, and of one agent."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import get_language

from agents.history import history_of
from agents.models import ScheduledMailReport
from marketplace.methods import require_safe
from marketplace.people import signed_in


@require_safe
@login_required
def history(request: HttpRequest, pk: int | None = None) -> HttpResponse:
    """The mails of all the person's agents, or of one, which may be deleted by now."""
    user = signed_in(request)
    agent = None if pk is None else get_object_or_404(ScheduledMailReport, pk=pk, user=user)
    page = history_of(user, get_language() or "en", agent, request.GET.get("before", ""))
    context = {"agent": agent, "page": page, "is_first": not request.GET.get("before")}
    return render(request, "agents/history.html", context)
