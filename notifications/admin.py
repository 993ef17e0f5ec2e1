"""The admin of this app: the ledger to read, barred addresses and the limits to edit."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin

from notifications.models import Delivery, DispatchLimits, SpamReport, Suppression
from notifications.sources import registered_kinds


class CappedPaginator(Paginator):
    """Counts no further than anybody pages: the ledger holds millions of rows."""

    MOST = 10_000

    @cached_property
    def count(self) -> int:
        """How many rows there are, or the most that can be paged through."""
        rows = cast("QuerySet[Delivery]", self.object_list)
        return rows.order_by()[: self.MOST].count()


class KindFilter(admin.SimpleListFilter):
    """Chooses among the kinds that have a source; asking the table would read all of it."""

    title = _("kind")
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(kind, kind) for kind in registered_kinds()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Delivery]) -> QuerySet[Delivery]:
        return queryset.filter(kind=self.value()) if self.value() else queryset


@admin.register(Delivery)
class DeliveryAdmin(ModelAdmin):
    """Who got what, when, and what became of it. Only the workers write here."""

    list_display = ("created_at", "kind", "address", "state", "reason", "attempts", "finished_at")
    list_filter = ("state", KindFilter, "reason", "channel")
    paginator = CappedPaginator
    search_fields = ("address__iexact", "idempotency_key__exact")
    search_help_text = _("The whole address, or the whole idempotency key.")
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
