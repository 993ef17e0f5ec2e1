"""A new exchange rate: stored, and every price in that currency compared by it from now on."""

from __future__ import annotations

from decimal import Decimal

from django.db import transaction
from django.db.models import DecimalField, F, Value
from django.db.models.functions import Cast, Round

from listings.models import Company, ExchangeRate


@transaction.atomic
def set_exchange_rate(currency: str, euros: Decimal) -> int:
    """Store what a unit of `currency` is worth in euros; the number of companies revalued.

    One statement whatever their number. Freshness does not move: a rate is no news of a company.
    """
    ExchangeRate.objects.update_or_create(pk=currency, defaults={"euros": euros})
    rate = Value(euros, output_field=DecimalField(max_digits=12, decimal_places=6))
    value = Round(
        Cast(F("price") * rate, DecimalField(max_digits=26, decimal_places=8)), precision=2
    )
    priced = Company.objects.filter(currency=currency, price__isnull=False)
    return priced.update(price_eur=value)
