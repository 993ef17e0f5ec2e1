"""The ledger to read: who got what, when, and what became of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Lower
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from marketplace.admin.lookups import ADDRESS, Lookup, by_number, people_at
from notifications import account_mail
from notifications.admin.delivery_page import DeliveryPageAdmin
from notifications.admin.filters import KindFilter
from notifications.models import Delivery, EventKind

KEY = re.compile(r"[^:\s]+:\S+")
UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def mails_to(rows: QuerySet[Any], address: str) -> QuerySet[Any]:
    """Those to the person who has the address, and those to it that belong to nobody."""
    of_nobody = Q(user=None, lowered=Lower(Value(address)))
    return rows.alias(lowered=Lower("address")).filter(Q(user__in=people_at(address)) | of_nobody)


def known_providers() -> list[str]:
    """The providers that anything was handed over to: a look into an index for each."""
    handed_over = Delivery.objects.filter(dispatched_at__isnull=False).order_by("provider")
    names: list[str] = []
    after = handed_over
    while name := after.values_list("provider", flat=True).first():
        names.append(name)
        after = handed_over.filter(provider__gt=name)
    return names


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
    lookups = (
        by_number(),
        Lookup(_("whole address"), ADDRESS, mails_to),
        Lookup(
            _("UUID"),
            UUID,
            lambda rows, text: rows.filter(idempotency_key=f"{account_mail.KIND}:{text.lower()}"),
        ),
        Lookup(
            _("whole idempotency key"), KEY, lambda rows, text: rows.filter(idempotency_key=text)
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """The index by time begins with the provider, so a time alone needs their names."""
        rows = super().get_queryset(request)
        if any(name.startswith("dispatched_at__") for name in request.GET):
            return rows.filter(provider__in=known_providers())
        return rows

    @display(description=_("last event"), ordering="last_event")
    def event(self, row: Delivery) -> str:
        """In words, not as it is stored."""
        return str(EventKind(row.last_event).label) if row.last_event in EventKind.values else "–"
