"""Prices for people: read what they type, write what they read in their language."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.formats import number_format
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from listings.feeds.prices import parse_price
from listings.feeds.problems import UnableToReadCell
from listings.models import Company

SIGNS = {"EUR": "€", "USD": "$", "GBP": "£"}
MAX_LENGTH = 30


def amount_in_words(amount: Decimal, currency: str) -> str:
    """The amount in the active language: `€1,250,000` (en), `1.250.000 €` (de, hr).

    Cents stand only where there are any; a non-breaking space keeps number and currency together.
    """
    decimals = 0 if amount == amount.to_integral_value() else 2
    number = number_format(amount, decimals, use_l10n=True, force_grouping=True)
    if (get_language() or "en").startswith("en"):
        sign = SIGNS.get(currency)
        return f"{sign}{number}" if sign else f"{currency}\u00a0{number}"
    return f"{number}\u00a0{SIGNS.get(currency, currency)}"


def price_in_words(company: Company) -> str:
    """A company's price in the active language, or that it is on request."""
    if company.price is None:
        return gettext("Price on request")
    return amount_in_words(company.price, company.currency)


class PriceField(forms.CharField):
    """A price in euros as people type it: `1.250.000`, `1,250,000.50`, `2 Mio`, or nothing."""

    widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})
    currency = "EUR"
    default_error_messages = {
        "unreadable": _("Enter a price in euros, such as 250000."),
        "currency": _("Enter the price in euros."),
    }

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"max_length": MAX_LENGTH, "required": False, **kwargs})

    def to_python(self, value: Any) -> Any:
        """The text as a Decimal, None when empty; ValidationError when it is no price."""
        text = super().to_python(value)
        if not text:
            return None
        if text.strip("0.,") == "":
            return Decimal(0)
        return self._parsed(text)

    def _parsed(self, text: str) -> Decimal:
        try:
            price = parse_price(text)
        except UnableToReadCell as error:
            raise forms.ValidationError(
                self.error_messages["unreadable"], code="unreadable"
            ) from error
        if price.amount is None:
            raise forms.ValidationError(self.error_messages["unreadable"], code="unreadable")
        if price.currency not in (None, self.currency):
            raise forms.ValidationError(self.error_messages["currency"], code="currency")
        return price.amount

    def run_validators(self, value: Any) -> None:
        """Validators of text came before the conversion: see `clean`."""

    def clean(self, value: Any) -> Any:
        """Check the text (length, null characters), then read it."""
        super().run_validators(forms.CharField.to_python(self, value))
        return super().clean(value)

    def prepare_value(self, value: Any) -> Any:
        """A stored price is shown in the person's own notation."""
        if isinstance(value, Decimal):
            decimals = 0 if value == value.to_integral_value() else 2
            return number_format(value, decimals, use_l10n=True, force_grouping=True)
        return value


class CompanyPriceField(PriceField):
    """A price in the currency that `currency` holds; its text may repeat that, not name another."""

    default_error_messages = {
        "unreadable": _("Enter a price such as 250000, or nothing when it is on request."),
        "currency": _("This names another currency than the one chosen."),
    }
