"""The ledger to read: who got what, when, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from notifications.admin.delivery_page import DeliveryPageAdmin
from notifications.models import Delivery, EventKind
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
class DeliveryAdmin(DeliveryPageAdmin):
    """The list; the page of one is its base."""

    list_display: Sequence[Any] = (
        "created_at",
        "kind",
        "address",
        "state",
        "reason",
        "event",
        "attempts",
        "finished_at",
    )
    list_filter: Sequence[Any] = ("state", KindFilter, "reason", "channel")
    list_select_related = ("user",)
    paginator = CappedPaginator
    search_fields = ("address__iexact", "idempotency_key__exact")
    search_help_text = _("The whole address, or the whole idempotency key.")
    ordering = ("-id",)
    show_full_result_count = False

    @display(description=_("last event"), ordering="last_event")
    def event(self, row: Delivery) -> str:
        """In words, not as it is stored."""
        return str(EventKind(row.last_event).label) if row.last_event in EventKind.values else "–"
