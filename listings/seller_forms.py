"""What sellers and people who write to them fill in."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from listings.models import Company, ExchangeRate, Industry, Region
from listings.models.enquiry import MAX_MESSAGE
from listings.prices import CompanyPriceField
from listings.trees import Branch, branches_of
from marketplace.line_fields import LineField


class OfferForm(forms.ModelForm):
    """A company as its seller describes it; `values` are what `listings.publishing` takes."""

    price = CompanyPriceField(
        label=_("Price"), help_text=_("Leave it empty when the price is on request.")
    )

    class Meta:
        model = Company
        fields = ("title", "description", "industry", "region", "price", "currency")
        field_classes = {"title": LineField}
        labels = {
            "title": _("Title"),
            "description": _("Description"),
            "industry": _("Industry"),
            "region": _("Region"),
            "currency": _("Currency"),
        }
        help_texts = {
            "title": _("What it is, in a line: “Joinery with 12 employees near Munich”."),
            "description": _("What it does, whom it serves, why it is for sale. No names needed."),
        }
        widgets = {
            "title": forms.TextInput(attrs={"autocomplete": "off"}),
            "description": forms.Textarea(attrs={"rows": 10}),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, model in (("industry", Industry), ("region", Region)):
            self.fields[name].choices = [  # type: ignore[attr-defined]
                ("", _("Please choose")),
                *(_group(branch) for branch in branches_of(model)),
            ]
        price = self.fields["price"]
        assert isinstance(price, CompanyPriceField)  # noqa: S101
        price.currency = self["currency"].value()

    def clean_price(self) -> Decimal | None:
        """The schema's rule, said at the field."""
        price: Decimal | None = self.cleaned_data["price"]
        if price is not None and price <= 0:
            raise forms.ValidationError(
                _("A price must be above zero; leave it empty for a price on request.")
            )
        return price

    def clean_currency(self) -> str:
        """A price needs a rate, or the company could not be compared with a range in euros."""
        currency = str(self.cleaned_data["currency"])
        if currency != "EUR" and not ExchangeRate.objects.filter(pk=currency).exists():
            raise forms.ValidationError(_("There is no exchange rate for this currency yet."))
        return currency

    @property
    def values(self) -> dict[str, Any]:
        """The company's facts; only after the form was found valid."""
        return {name: self.cleaned_data[name] for name in self.Meta.fields}


def _group(branch: Branch) -> tuple[str, list[tuple[str, Any]]]:
    whole = _("%(name)s, in general") % {"name": branch.name}
    return branch.name, [(branch.code, whole), *branch.children]


class EnquiryForm(forms.Form):
    """A message to a seller."""

    message = forms.CharField(
        label=_("Your message"),
        max_length=MAX_MESSAGE,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("The seller sees your name and e-mail address, to answer you."),
    )
