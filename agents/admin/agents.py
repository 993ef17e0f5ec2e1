"""Search agents in the admin: every change goes the way a person's own change goes."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.postgres.fields import ArrayField
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminTextInputWidget

from agents.admin.run_now import RunNowAdmin
from agents.editing import (
    UnableToAddAgent,
    change_agent,
    create_agent,
    delete_agent,
    pause_agent,
    resume_agent,
)
from agents.models import ScheduledMailReport
from listings.criteria import Criteria, UnableToReadCriteria
from listings.forms import NO_KEYWORD
from listings.keywords import match_nothing
from listings.models import Industry, Region
from listings.prices import PriceField
from listings.wording import criteria_in_words
from marketplace.admin import ListAdmin
from marketplace.admin.lookups import by_number, by_persons_address, by_persons_words

CRITERIA = ("industries", "regions", "price_min", "price_max", "keywords", "include_on_request")

PRICE_INPUT = UnfoldAdminTextInputWidget(attrs=PriceField.widget.attrs)


class AgentAdminForm(forms.ModelForm):
    """The criteria must be criteria, and their codes must exist."""

    price_min = PriceField(label=capfirst(_("lowest price (EUR)")), widget=PRICE_INPUT)
    price_max = PriceField(label=capfirst(_("highest price (EUR)")), widget=PRICE_INPUT)

    class Meta:
        model = ScheduledMailReport
        fields = ("user", "name", "frequency", "is_active", *CRITERIA)
        help_texts = {
            "industries": _("Codes such as C or C16, with commas between; empty means all."),
            "regions": _("Codes such as DE or DE-BY, with commas between; empty means all."),
        }

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if self.errors:
            return values
        try:
            criteria = Criteria(**{field: values[field] for field in CRITERIA})
        except UnableToReadCriteria as error:
            for field, message in error.errors.items():
                self.add_error(field if field in self.fields else None, message)
            return values
        values["industries"] = list(criteria.industries)
        values["regions"] = list(criteria.regions)
        values["keywords"] = criteria.keywords
        self._refuse_unknown("industries", criteria.industries, Industry)
        self._refuse_unknown("regions", criteria.regions, Region)
        if match_nothing(criteria.keywords):
            self.add_error("keywords", NO_KEYWORD)
        return values

    def _refuse_unknown(
        self, field: str, codes: tuple[str, ...], model: type[Industry] | type[Region]
    ) -> None:
        known = set(model.objects.filter(pk__in=codes).values_list("pk", flat=True))
        if unknown := sorted(set(codes) - known):
            text = gettext("Not known: %(codes)s") % {"codes": ", ".join(unknown)}
            self.add_error(field, text)


@admin.register(ScheduledMailReport)
class AgentAdmin(RunNowAdmin, ListAdmin):
    """Search agents, deleted ones too: what they have shown must not be shown again."""

    form = AgentAdminForm
    formfield_overrides = {ArrayField: {"widget": UnfoldAdminTextInputWidget}}
    list_display = (
        "name",
        "user",
        "frequency",
        "is_active",
        "next_run_at",
        "last_run_at",
        "last_outcome",
        "deleted_at",
    )
    list_filter = (
        "frequency",
        "is_active",
        "last_outcome",
        ("deleted_at", admin.EmptyFieldListFilter),
    )
    list_select_related = ("user",)
    lookups = (by_number(), by_persons_address("user"), by_persons_words("user"))
    autocomplete_fields = ("user",)
    readonly_fields = (
        "in_words",
        "watching_since",
        "matched_until",
        "next_run_at",
        "last_run_at",
        "last_outcome",
        "last_reason",
        "created_at",
        "deleted_at",
    )
    fieldsets = (
        (None, {"fields": ("user", "name", "frequency", "is_active")}),
        (_("Criteria"), {"fields": ("in_words", *CRITERIA)}),
        (_("Runs"), {"fields": readonly_fields[1:]}),
    )
    add_fieldsets = (
        (None, {"fields": ("user", "name", "frequency")}),
        (_("Criteria"), {"fields": CRITERIA}),
    )

    @admin.display(description=_("in words"))
    def in_words(self, agent: ScheduledMailReport) -> str:
        return criteria_in_words(agent.criteria, get_language() or "en")

    def get_readonly_fields(
        self, request: HttpRequest, obj: ScheduledMailReport | None = None
    ) -> tuple[str, ...]:
        return ("user", *self.readonly_fields) if obj else ()

    def has_change_permission(
        self, request: HttpRequest, obj: ScheduledMailReport | None = None
    ) -> bool:
        """A deleted agent can be looked at, not changed."""
        is_deleted = obj is not None and obj.deleted_at is not None
        return not is_deleted and super().has_change_permission(request, obj)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        try:
            return super().add_view(request, form_url, extra_context)
        except UnableToAddAgent as error:
            self.message_user(request, str(error), messages.ERROR)
            return HttpResponseRedirect(request.get_full_path())

    def save_model(
        self, request: HttpRequest, obj: ScheduledMailReport, form: Any, change: bool
    ) -> None:
        now = timezone.now()
        values: dict[str, Any] = {
            "name": obj.name,
            "criteria": obj.criteria,
            "frequency": obj.frequency,
        }
        if not change:
            obj.pk = create_agent(obj.user, **values, now=now).pk
            return
        change_agent(obj, **values, now=now)
        if obj.is_active:
            resume_agent(obj, now)
        else:
            pause_agent(obj, now)

    def delete_model(self, request: HttpRequest, obj: ScheduledMailReport) -> None:
        delete_agent(obj, timezone.now())

    def delete_queryset(
        self, request: HttpRequest, queryset: QuerySet[ScheduledMailReport]
    ) -> None:
        for agent in queryset:
            delete_agent(agent, timezone.now())

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Only the agents themselves: the rows of what they have shown stay."""
        names = [str(agent) for agent in objs]
        return names, {str(self.opts.verbose_name_plural): len(names)}, set(), []
