"""What each provider may be sent, and whether it is paused."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from notifications.admin.limit_history import LimitsAdmin
from notifications.admin.noted_actions import NotedAction
from notifications.dead_letters import Handled
from notifications.models import ProviderQuota
from notifications.pausing import pause, resume

PAUSE = NotedAction(
    "pause",
    _("Pause these providers? Their messages wait until somebody resumes them; none is lost."),
    _("Pause"),
    is_dangerous=True,
)
RESUME = NotedAction(
    "resume",
    _("Send through these providers again? What waits goes out within a minute or so."),
    _("Resume"),
)


@admin.register(ProviderQuota)
class ProviderQuotaAdmin(LimitsAdmin):
    """One row a provider, made by itself; every request reads it afresh."""

    list_display = ("provider", "per_second", "per_minute", "per_day", "status")
    list_before_template = "notifications/admin/paused_providers.html"
    change_form_before_template = "notifications/admin/paused_provider.html"
    fieldsets = (
        (None, {"fields": ("provider",)}),
        (
            _("At most"),
            {
                "fields": ("per_second", "per_minute", "per_day"),
                "description": _("An empty limit does not bind. All that are named hold at once."),
            },
        ),
        (_("Pause"), {"fields": ("paused_at", "pause_reason", "updated_at")}),
    )
    readonly_fields = ("provider", "paused_at", "pause_reason", "updated_at")
    actions = ("pause", "resume")

    @display(
        description=_("status"),
        label={"paused": "danger", "running": "success"},
    )
    def status(self, quota: ProviderQuota) -> tuple[str, Any]:
        """Whether messages leave."""
        return ("paused", _("paused")) if quota.is_paused else ("running", _("running"))

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        for name in filter(None, (settings.EMAIL_PROVIDER, settings.SMS_PROVIDER)):
            ProviderQuota.of(name)
        paused = ProviderQuota.objects.exclude(paused_at=None)
        return super().changelist_view(request, {**(extra_context or {}), "paused": paused})

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_pause_permission(self, request: HttpRequest) -> bool:
        """A right of its own: operators stop and start what only admins may tune."""
        return bool(request.user.has_perm("notifications.pause_providerquota"))

    @admin.action(description=_("Pause"), permissions=["pause"])
    def pause(self, request: HttpRequest, queryset: QuerySet[ProviderQuota]) -> HttpResponse | None:
        """Nothing is sent through these until somebody resumes."""
        operator = str(request.user)

        def run(chosen: list[ProviderQuota], note: str) -> Handled:
            handled = pause(chosen, operator=operator, reason=note, now=timezone.now())
            return self._logged(request, chosen, handled, f"Paused: {note}")

        return PAUSE.respond(self, request, queryset, run)

    @admin.action(description=_("Resume"), permissions=["pause"])
    def resume(
        self, request: HttpRequest, queryset: QuerySet[ProviderQuota]
    ) -> HttpResponse | None:
        """Send again."""

        def run(chosen: list[ProviderQuota], note: str) -> Handled:
            handled = resume(chosen, now=timezone.now())
            return self._logged(request, chosen, handled, f"Resumed: {note}")

        return RESUME.respond(self, request, queryset, run)

    def _logged(
        self, request: HttpRequest, chosen: list[ProviderQuota], handled: Handled, message: str
    ) -> Handled:
        """Keep who did it, and why, with each provider for which it took effect."""
        for quota in chosen:
            if quota.pk in handled.done:
                self.log_change(request, quota, message)
        return handled
