"""The admin's pages for one agent: what a run now would mail, and the run itself."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from unfold.admin import ModelAdmin
from unfold.decorators import action

from agents.models import ScheduledMailReport
from agents.run_now import UnableToRun, ask_to_run, preview_run, run_agent
from agents.runs import RunResult
from listings.prices import price_in_words


class RunNowAdmin(ModelAdmin):
    """Adds “Preview” to an agent's page for whoever sees it, “Run now” for whoever may run it."""

    actions_detail = ("preview", "run_now")

    def has_run_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        """A right of its own: running an agent needs no right to change it."""
        return bool(request.user.has_perm("agents.run_scheduledmailreport"))

    @action(description=_lazy("Preview"), url_path="preview", permissions=["view"], icon="preview")
    def preview(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """What a run now would mail; nothing is written."""
        return self._page(request, self._agent(request, object_id), asks=False)

    @action(description=_lazy("Run now"), url_path="run-now", permissions=["run"], icon="send")
    def run_now(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask first; then plan the mail and put it in the queue."""
        agent = self._agent(request, object_id)
        if request.method != "POST":
            return self._page(request, agent, asks=True)
        try:
            result = run_agent(agent, request.POST.get("ticket", ""), timezone.now())
        except UnableToRun as error:
            self.message_user(request, str(error), messages.ERROR)
        else:
            self.log_change(request, agent, f"Run now: run {result.run_id}.")
            self.message_user(request, *_told(agent, result))
        return HttpResponseRedirect(_address_of(agent))

    def _agent(self, request: HttpRequest, object_id: str) -> ScheduledMailReport:
        agent = self.get_object(request, object_id)
        if agent is None:
            raise Http404
        if not self.has_view_permission(request, agent):
            raise PermissionDenied
        return agent

    def _page(
        self, request: HttpRequest, agent: ScheduledMailReport, *, asks: bool
    ) -> HttpResponse:
        now = timezone.now()
        try:
            preview = preview_run(agent, now)
        except UnableToRun as error:
            self.message_user(request, str(error), messages.ERROR)
            return HttpResponseRedirect(_address_of(agent))
        companies = [(company, price_in_words(company)) for company in preview.companies]
        context = {
            **self.admin_site.each_context(request),
            "title": _("Run now") if asks else _("Preview"),
            "agent": agent,
            "preview": preview,
            "companies": companies,
            "ticket": ask_to_run(agent, now) if asks else "",
            "back": _address_of(agent),
            "opts": self.opts,
        }
        return TemplateResponse(request, "agents/admin/run_now.html", context)


def _address_of(agent: ScheduledMailReport) -> str:
    return reverse("admin:agents_scheduledmailreport_change", args=[agent.pk])


def _told(agent: ScheduledMailReport, result: RunResult) -> tuple[str, int]:
    if result.counters.digests:
        return _("A mail is planned and on its way into the queue."), messages.SUCCESS
    agent.refresh_from_db()
    words = {"outcome": agent.get_last_outcome_display()}
    return _("No mail was planned: %(outcome)s.") % words, messages.WARNING
