"""Pages of limits: at each field its unit, bounds and last change; below the form the history."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from django.contrib import admin
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.decorators import display

from marketplace.admin import ReadOnlyAdmin, ShortListAdmin
from marketplace.admin.lookups import ANYTHING, Lookup, by_number, by_persons_address
from marketplace.models import User
from notifications.admin.filters import LimitFilter, ProviderFilter
from notifications.limit_changes import LimitsRow, provider_of, save_limits
from notifications.limit_facts import LimitFact, facts_of
from notifications.models import LimitChange

MOST_CHANGES = 20


class LimitsAdmin(ShortListAdmin):
    """A row of limits that keeps its history."""

    change_form_after_template = "notifications/admin/limit_history.html"

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> type[ModelForm]:
        if obj is not None:
            kwargs["help_texts"] = {fact.name: help_of(fact) for fact in facts_of(obj)}
        return super().get_form(request, obj, change=change, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: ModelForm, change: bool) -> None:
        operator = cast("User", request.user)
        save_limits(obj, names=form.changed_data, operator=operator, now=timezone.now())

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        row = self.get_object(request, object_id)
        history = self._history(row) if row is not None else {}
        return super().change_view(
            request, object_id, form_url, {**(extra_context or {}), **history}
        )

    def _history(self, row: LimitsRow) -> dict[str, Any]:
        provider = provider_of(row)
        changes = LimitChange.objects.filter(provider=provider).select_related("operator")
        shown = list(changes.order_by("-pk")[: MOST_CHANGES + 1])
        titles = {fact.name: fact.title for fact in facts_of(row)}
        return {
            "limit_changes": [
                (titles.get(change.field, change.field), change) for change in shown[:MOST_CHANGES]
            ],
            "has_more_changes": len(shown) > MOST_CHANGES,
        }


def help_of(fact: LimitFact) -> str:
    """What the limit does, its unit and bounds, and who changed it last."""
    return format_html_join("", "<span class='block'>{}</span>", ((line,) for line in _lines(fact)))


def _lines(fact: LimitFact) -> Iterator[str]:
    if fact.help_text:
        yield fact.help_text
    if fact.lowest is not None:
        yield format_html("{}: {}", fact.unit, fact.bounds)
    if fact.last is None:
        yield _("Never changed here.")
        return
    when = date_format(timezone.localtime(fact.last.changed_at), "SHORT_DATETIME_FORMAT")
    yield _("Changed from %(before)s to %(after)s by %(who)s, %(when)s.") % {
        "before": fact.last.before or "–",
        "after": fact.last.after or "–",
        "who": fact.last.who,
        # The sentence brings its own full stop: "a.m." has one, too.
        "when": when.removesuffix("."),
    }


@admin.register(LimitChange)
class LimitChangeAdmin(ReadOnlyAdmin):
    """Every change of a limit, newest first."""

    list_display = ("changed_at", "scope", "field", "before", "after", "by")
    list_filter = (LimitFilter, ProviderFilter)
    list_select_related = ("operator",)
    fields = ("changed_at", "scope", "field", "before", "after", "by")
    readonly_fields = fields
    lookups = (
        by_number(),
        by_persons_address("operator"),
        Lookup(
            gettext_lazy("provider's name"),
            ANYTHING,
            lambda rows, text: rows.filter(provider=text.lower()),
        ),
    )

    @display(description=gettext_lazy("of"), ordering="provider")
    def scope(self, change: LimitChange) -> str:
        """The provider, or all."""
        return change.provider or _("all mail")

    @display(description=gettext_lazy("changed by"))
    def by(self, change: LimitChange) -> str:
        """The person or the command."""
        return change.who
