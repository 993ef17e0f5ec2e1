"""Report runs: what each firing of a tier counted."""

from __future__ import annotations

from django.contrib import admin

from agents.models import ReportRun
from marketplace.admin import ReadOnlyAdmin


@admin.register(ReportRun)
class ReportRunAdmin(ReadOnlyAdmin):
    """Read only: runs write themselves."""

    list_display = (
        "occurrence",
        "frequency",
        "due",
        "eligible",
        "matched",
        "duplicates",
        "digests",
        "reported",
        "waiting",
        "deferred",
        "finished_at",
    )
    list_filter = ("frequency",)
    date_hierarchy = "occurrence"
    show_full_result_count = False
