"""The admin of what is offered: companies, the trees they are sorted into, exchange rates."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.widgets import UnfoldAdminTextInputWidget

from listings.exchange import set_exchange_rate
from listings.keywords import clean_keywords, keywords_q
from listings.models import Company, CompanyStatus, Enquiry, ExchangeRate, Industry, Region
from listings.prices import CompanyPriceField, PriceField, price_in_words
from listings.publishing import add_company
from marketplace.admin import ListAdmin, ReadOnlyAdmin, ShortListAdmin
from marketplace.admin.lookups import (
    ANYTHING,
    Lookup,
    by_number,
    by_persons_address,
    by_persons_words,
)

IN_FEED = re.compile(r"[^:\s]+:\S+")


def _in_feed(rows: QuerySet[Company], text: str) -> QuerySet[Company]:
    source, _colon, external_id = text.partition(":")
    return rows.filter(source=source, external_id=external_id).exclude(external_id="")


def _with_words(rows: QuerySet[Company], text: str) -> QuerySet[Company]:
    """As people search: every word in title or description, in German or English forms."""
    return rows.filter(keywords_q(clean_keywords(text)))


def _codes(model: type[Industry] | type[Region], code: str) -> list[str]:
    """A node and its children, by name: asked as a join, they would be looked for everywhere."""
    nodes = model.objects.filter(Q(code=code) | Q(parent=code))
    return list(nodes.values_list("code", flat=True))


class SectionFilter(admin.SimpleListFilter):
    """Companies of a whole section; 88 divisions would fill the page."""

    title = _("industry")
    parameter_name = "section"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(section.code, section.name) for section in Industry.objects.filter(parent=None)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Company]) -> QuerySet[Company]:
        section = self.value()
        if not section:
            return queryset
        return queryset.filter(industry__in=_codes(Industry, section))


class CountryFilter(admin.SimpleListFilter):
    """Companies of a whole country."""

    title = _("country")
    parameter_name = "country"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(country.code, country.name) for country in Region.objects.filter(parent=None)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Company]) -> QuerySet[Company]:
        country = self.value()
        if not country:
            return queryset
        return queryset.filter(region__in=_codes(Region, country))


class CompanyForm(forms.ModelForm):
    """A price needs a rate, or its company could not be compared with a range in euros."""

    price = CompanyPriceField(
        label=capfirst(_("price")),
        help_text=_("Empty means: price on request."),
        widget=UnfoldAdminTextInputWidget(attrs=PriceField.widget.attrs),
    )

    class Meta:
        model = Company
        fields = (
            "title",
            "description",
            "industry",
            "region",
            "price",
            "currency",
            "status",
            "published_at",
            "seller",
            "source",
            "external_id",
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        price = self.fields["price"]
        assert isinstance(price, CompanyPriceField)  # noqa: S101
        if "currency" in self.fields:  # not where the company is only looked at
            price.currency = self["currency"].value()

    def clean_currency(self) -> str:
        currency = self.cleaned_data["currency"]
        if currency != "EUR" and not ExchangeRate.objects.filter(pk=currency).exists():
            raise forms.ValidationError(_("There is no exchange rate for this currency yet."))
        return str(currency)


@admin.register(Company)
class CompanyAdmin(ListAdmin):
    """Companies. Everything goes through `save`, which decides what counts as news."""

    form = CompanyForm
    list_display = ("title", "status", "industry", "region", "shown_price", "published_at")
    list_filter = ("status", SectionFilter, CountryFilter, "currency")
    list_select_related = ("industry", "region")
    lookups = (
        by_number(),
        Lookup(_("FEED:id in the feed"), IN_FEED, _in_feed),
        Lookup(_("words of title and description"), ANYTHING, _with_words),
    )
    autocomplete_fields = ("industry", "region", "seller")
    readonly_fields = ("fresh_at", "fresh_reason", "price_before", "price_eur")
    actions = ("publish", "withdraw")
    fieldsets = (
        (None, {"fields": ("title", "description", "industry", "region", "price", "currency")}),
        (_("Publication"), {"fields": ("status", "published_at", "seller")}),
        (_("Feed"), {"fields": ("source", "external_id")}),
        (_("News"), {"fields": ("fresh_at", "fresh_reason", "price_before", "price_eur")}),
    )

    def save_model(self, request: HttpRequest, obj: Company, form: Any, change: bool) -> None:
        if change:
            obj.save()
        else:
            add_company(obj, timezone.now())

    @admin.display(description=_("price"), ordering="price_eur")
    def shown_price(self, company: Company) -> str:
        return price_in_words(company)

    @admin.action(description=_("Publish the chosen companies"), permissions=["change"])
    def publish(self, request: HttpRequest, queryset: QuerySet[Company]) -> None:
        count = _set_status(queryset, CompanyStatus.PUBLISHED)
        text = ngettext("%(count)s company published.", "%(count)s companies published.", count)
        self.message_user(request, text % {"count": count}, messages.SUCCESS)

    @admin.action(description=_("Withdraw the chosen companies"), permissions=["change"])
    def withdraw(self, request: HttpRequest, queryset: QuerySet[Company]) -> None:
        count = _set_status(queryset, CompanyStatus.WITHDRAWN)
        text = ngettext("%(count)s company withdrawn.", "%(count)s companies withdrawn.", count)
        self.message_user(request, text % {"count": count}, messages.SUCCESS)


@transaction.atomic
def _set_status(companies: QuerySet[Company], status: str) -> int:
    """Save each company whose status changes; how many that were."""
    changing = list(companies.exclude(status=status).select_for_update(of=("self",)))
    for company in changing:
        company.status = status
        company.save(update_fields=["status", "updated_at"])
    return len(changing)


class TreeAdmin(ReadOnlyAdmin, ShortListAdmin):
    """A tree comes with a release; here it can be looked up."""

    list_display = ("code", "name_en", "name_de", "name_hr", "parent")
    list_select_related = ("parent",)
    search_fields = ("code", "name_en", "name_de", "name_hr")
    list_per_page = 200


admin.site.register(Industry, TreeAdmin)
admin.site.register(Region, TreeAdmin)


@admin.register(Enquiry)
class EnquiryAdmin(ReadOnlyAdmin):
    """What people wrote to sellers, for support and against abuse."""

    list_display = ("company", "sender", "sent_at")
    list_select_related = ("company", "sender")
    lookups = (by_number(), by_persons_address("sender"), by_persons_words("sender"))


class ExchangeRateForm(forms.ModelForm):
    """The euro is the measure: its rate is 1."""

    class Meta:
        model = ExchangeRate
        fields = ("currency", "euros")

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        currency = values.get("currency") or self.instance.currency
        if currency == "EUR" and values.get("euros") not in (None, Decimal(1)):
            self.add_error("euros", _("A euro is worth one euro."))
        return values


@admin.register(ExchangeRate)
class ExchangeRateAdmin(ShortListAdmin):
    """Rates; saving one revalues the companies priced in that currency."""

    form = ExchangeRateForm
    list_display = ("currency", "euros", "updated_at")

    def get_readonly_fields(
        self, request: HttpRequest, obj: ExchangeRate | None = None
    ) -> tuple[str, ...]:
        return ("currency",) if obj else ()

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Companies priced in the currency need its rate."""
        return False

    def save_model(self, request: HttpRequest, obj: ExchangeRate, form: Any, change: bool) -> None:
        count = set_exchange_rate(obj.currency, obj.euros)
        text = ngettext("%(count)s company revalued.", "%(count)s companies revalued.", count)
        self.message_user(request, text % {"count": count}, messages.SUCCESS)
