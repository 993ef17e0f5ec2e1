"""Addresses that get nothing: barred by hand with a reason, and freed after being asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.contrib import admin
from django.contrib.admin.models import DELETION, LogEntry
from django.db import transaction
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminTextInputWidget

from marketplace.admin import ListAdmin
from marketplace.admin.lookups import by_number, by_own_address
from marketplace.models import User
from notifications.admin.noted_actions import NotedAction
from notifications.dead_letters import Handled
from notifications.models import SpamReport, Suppression

REASON_HELP = _("Why? It is kept with your name, for whoever looks at this later.")
FREE = NotedAction(
    "free",
    _(
        "Let mail go to these addresses again? It does from the next run on, unless an address is "
        "both barred and reported as spam: then both must be removed. What was not sent meanwhile "
        "is not sent later."
    ),
    _("Remove"),
    is_dangerous=True,
)


class BarForm(forms.ModelForm):
    """Barring by hand; the reason is required, though events of providers may have none."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "note" in self.fields:
            self.fields["note"].required = True
            self.fields["note"].help_text = REASON_HELP


class ReportForm(forms.ModelForm):
    """A spam report that somebody received by phone or letter."""

    reason = forms.CharField(
        label=_("reason"),
        max_length=200,
        widget=UnfoldAdminTextInputWidget(),
        help_text=REASON_HELP,
    )


class BarredAdmin(ListAdmin):
    """Addresses are added with a reason, never turned into other ones, and removed when asked."""

    reason_field: str
    delete_confirmation_template = "notifications/admin/free_address.html"
    actions: Sequence[Any] = ("free",)
    lookups = (by_number(), by_own_address())

    def get_actions(self, request: HttpRequest) -> Any:
        """Django's own removal of many rows asks for no reason."""
        actions = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions

    def construct_change_message(
        self, request: HttpRequest, form: ModelForm, formsets: Any, add: bool = False
    ) -> Any:
        """The log says why an address was added."""
        if add:
            return f"By hand: {form.cleaned_data[self.reason_field]}"
        return super().construct_change_message(request, form, formsets, add)

    @admin.action(description=_("Remove"), permissions=["delete"])
    def free(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        """Mail goes to these again."""

        operator = cast("User", request.user)

        def run(chosen: list[Any], note: str) -> Handled:
            ids = [row.pk for row in chosen]
            with transaction.atomic():
                LogEntry.objects.log_actions(
                    operator.pk, chosen, DELETION, change_message=f"Removed: {note}"
                )
                self.model._default_manager.filter(pk__in=ids).delete()
            return Handled(ids)

        return FREE.respond(self, request, queryset, run)


@admin.register(SpamReport)
class SpamReportAdmin(BarredAdmin):
    """Addresses that reported our mail as spam."""

    reason_field = "reason"
    list_display = ("email", "source", "reported_at")

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> type[ModelForm]:
        if obj is None:
            kwargs["form"] = ReportForm
        return super().get_form(request, obj, change=change, **kwargs)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Sequence[Any]:
        return ("email", "source", "reported_at" if obj is not None else "reason")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A report is what somebody said: added or removed, never edited."""
        return False


@admin.register(Suppression)
class SuppressionAdmin(BarredAdmin):
    """Addresses that get no mail."""

    form = BarForm
    reason_field = "note"
    list_display = ("email", "cause", "note", "created_at")
    list_filter = ("cause",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Sequence[Any]:
        return ("email", "note") if obj is None else ("email", "cause", "note", "created_at")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Sequence[Any]:
        return () if obj is None else ("email", "cause", "created_at")
