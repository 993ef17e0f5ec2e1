"""The one row of limits, grouped by what it is about."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from notifications.admin.limit_history import LimitsAdmin
from notifications.models import DispatchLimits


@admin.register(DispatchLimits)
class DispatchLimitsAdmin(LimitsAdmin):
    """Opened at once; each run and batch reads the row afresh."""

    readonly_fields = ("updated_at",)
    fieldsets = (
        (
            _("Search agents and their mails"),
            {
                "fields": (
                    "max_mails_per_run",
                    "max_companies",
                    "max_agents_per_user",
                    "max_listing_age_days",
                    "late_commit_grace_seconds",
                    "digest_valid_hours",
                )
            },
        ),
        (
            _("Workers"),
            {"fields": ("batch_size", "lease_seconds", "requeue_after_seconds")},
        ),
        (
            _("Failed attempts"),
            {
                "fields": (
                    "max_attempts",
                    "backoff_base_seconds",
                    "backoff_cap_seconds",
                    "breaker_failures",
                    "breaker_pause_seconds",
                )
            },
        ),
        (_("Account mails"), {"fields": ("account_share_percent",)}),
        (
            _("When nobody knows whether a mail was taken"),
            {
                "fields": ("uncertain_grace_minutes", "uncertain_policy"),
                "description": _(
                    "An event of the mail itself always decides; this is for mails without one."
                ),
            },
        ),
        (
            _("How long things are kept"),
            {"fields": ("sent_mark_days", "retention_days", "updated_at")},
        ),
    )

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        limits = DispatchLimits.current()
        return redirect(reverse("admin:notifications_dispatchlimits_change", args=[limits.pk]))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
