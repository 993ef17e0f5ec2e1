"""Who is barred from mail for a while, and who agreed to promotions."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from marketplace.admin.lists import ListAdmin, ReadOnlyAdmin
from marketplace.admin.lookups import by_number, by_persons_address, by_persons_words
from marketplace.consent import PromotionConsent
from marketplace.models import Suspension

BY_PERSON = (by_number(), by_persons_address("user"), by_persons_words("user"))


class InForceFilter(admin.SimpleListFilter):
    """Suspensions that bar somebody from mail right now, or do not."""

    title = _("in force")
    parameter_name = "in_force"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("yes", _("yes")), ("no", _("no"))]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Suspension]
    ) -> QuerySet[Suspension]:
        in_force = Suspension.objects.in_force(timezone.now()).values("pk")
        if self.value() == "yes":
            return queryset.filter(pk__in=in_force)
        return queryset.exclude(pk__in=in_force) if self.value() == "no" else queryset


@admin.register(Suspension)
class SuspensionAdmin(ListAdmin):
    list_display = ("user", "reason", "starts_at", "ends_at")
    list_filter = (InForceFilter,)
    list_select_related = ("user",)
    lookups = BY_PERSON
    autocomplete_fields = ("user",)


@admin.register(PromotionConsent)
class PromotionConsentAdmin(ReadOnlyAdmin):
    """The proof of who agreed to what: looked at, never edited."""

    list_display = ("user", "channel", "language", "given_at", "withdrawn_at")
    list_filter = ("channel", ("withdrawn_at", admin.EmptyFieldListFilter))
    list_select_related = ("user",)
    lookups = BY_PERSON
