"""Report runs: what each firing of a tier counted, how long it took, and its mails."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from agents.models import ReportRun
from marketplace.admin import ReadOnlyAdmin
from marketplace.admin.lookups import by_number
from notifications.admin.delivery_page import SUBJECT_PAGES

COUNTS = (
    "due",
    "eligible",
    "matched",
    "duplicates",
    "digests",
    "reported",
    "waiting",
    "deferred",
)
SUBJECT_PAGES["digest"] = "admin:agents_reportrun_change"


@admin.register(ReportRun)
class ReportRunAdmin(ReadOnlyAdmin):
    """Read only: runs write themselves."""

    list_display = ("occurrence", "frequency", "state", "duration", *COUNTS)
    list_filter = (
        "frequency",
        ("occurrence", admin.DateFieldListFilter),
        "is_for_one_agent",
        ("finished_at", admin.EmptyFieldListFilter),
    )
    lookups = (by_number(),)
    readonly_fields = ("state", "duration", "mails")
    fieldsets = (
        (None, {"fields": ("frequency", "occurrence", "is_for_one_agent", "state", "mails")}),
        (_("Times"), {"fields": ("cutoff", "started_at", "finished_at", "duration")}),
        (_("Counts"), {"fields": COUNTS}),
    )

    @display(description=_("state"), label={"finished": "success", "open": "warning"})
    def state(self, run: ReportRun) -> tuple[str, str]:
        """One that stays open was cut off; the next firing closes it."""
        if run.finished_at is None:
            return "open", gettext("not finished")
        return "finished", gettext("finished")

    @display(description=_("took"))
    def duration(self, run: ReportRun) -> str:
        if run.finished_at is None:
            return "–"
        seconds = (run.finished_at - run.started_at).total_seconds()
        return gettext("%(seconds).1f s") % {"seconds": max(seconds, 0.0)}

    @display(description=_("mails"))
    def mails(self, run: ReportRun) -> str:
        query = urlencode({"kind": "digest", "subject_id": run.pk})
        address = f"{reverse('admin:notifications_delivery_changelist')}?{query}"
        return format_html(
            '<a class="text-primary-600 dark:text-primary-400" href="{}">{}</a>',
            address,
            gettext("The mails of this run"),
        )
