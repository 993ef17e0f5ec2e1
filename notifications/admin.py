"""The admin of this app: the ledger to read, barred addresses and the limits to edit."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from unfold.admin import ModelAdmin

from notifications.models import Delivery, DispatchLimits, SpamReport, Suppression


@admin.register(Delivery)
class DeliveryAdmin(ModelAdmin):
    """Who got what, when, and what became of it. Only the workers write here."""

    list_display = ("created_at", "kind", "address", "state", "reason", "attempts", "finished_at")
    list_filter = ("state", "kind", "reason", "channel")
    search_fields = ("address__iexact", "idempotency_key__exact")
    search_help_text = "The whole address, or the whole idempotency key."
    ordering = ("-id",)
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Delivery]:
        return super().get_queryset(request).select_related("user")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(SpamReport)
class SpamReportAdmin(ModelAdmin):
    """Addresses that reported our mail as spam."""

    list_display = ("email", "source", "reported_at")
    search_fields = ("email",)
    date_hierarchy = "reported_at"
    show_full_result_count = False


@admin.register(Suppression)
class SuppressionAdmin(ModelAdmin):
    """Addresses that get no mail."""

    list_display = ("email", "cause", "note", "created_at")
    list_filter = ("cause",)
    search_fields = ("email",)
    show_full_result_count = False


@admin.register(DispatchLimits)
class DispatchLimitsAdmin(ModelAdmin):
    """The one row of limits, opened at once; each run and batch reads it afresh."""

    readonly_fields = ("updated_at",)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        limits = DispatchLimits.current()
        return redirect(reverse("admin:notifications_dispatchlimits_change", args=[limits.pk]))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
