"""Filters whose choices are known beforehand: asking a long table for them would read all of it."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from notifications.models import DispatchLimits, ProviderQuota
from notifications.models.limits import BOUNDS
from notifications.providers import PROVIDERS
from notifications.sources import registered_kinds

QUOTA_FIELDS = ("per_second", "per_minute", "per_day")


class ExactFilter(admin.SimpleListFilter):
    """Rows in which the field of the same name has exactly the chosen value."""

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value()
        return queryset.filter(**{self.parameter_name or "": value}) if value else queryset


class KindFilter(ExactFilter):
    """Chooses among the kinds that have a source."""

    title = _("kind")
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(kind, kind) for kind in registered_kinds()]


class ProviderFilter(ExactFilter):
    """Chooses among the providers that the code knows."""

    title = _("provider")
    parameter_name = "provider"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, name) for name in sorted(PROVIDERS)]


class LimitFilter(ExactFilter):
    """Chooses among the limits."""

    title = _("limit")
    parameter_name = "field"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        titles = {
            field.name: field.verbose_name
            for model in (DispatchLimits, ProviderQuota)
            for field in model._meta.fields
        }
        names = (*BOUNDS, "uncertain_policy", *QUOTA_FIELDS)
        return [(name, titles[name]) for name in names]
