"""Currencies, and what they are worth in euros."""

from decimal import ROUND_HALF_UP, Decimal

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

CURRENCIES = [("EUR", "EUR"), ("CHF", "CHF"), ("USD", "USD"), ("GBP", "GBP")]
CENT = Decimal("0.01")


class ExchangeRate(models.Model):
    """What one unit of a currency is worth in euros: how price ranges compare across currencies."""

    currency = models.CharField(_("currency"), max_length=3, primary_key=True, choices=CURRENCIES)
    euros = models.DecimalField(
        _("euros per unit"),
        max_digits=12,
        decimal_places=6,
        validators=[MinValueValidator(Decimal("0.000001"))],
    )
    updated_at = models.DateTimeField(_("updated"), auto_now=True)

    class Meta:
        verbose_name = _("exchange rate")
        verbose_name_plural = _("exchange rates")
        constraints = [
            models.CheckConstraint(condition=Q(euros__gt=0), name="exchange_rate_positive")
        ]

    def __str__(self) -> str:
        return f"1 {self.currency} = {self.euros} EUR"


def price_in_euros(price: Decimal | None, currency: str) -> Decimal | None:
    """The price at the stored exchange rate, to the cent; None for a price on request."""
    if price is None or currency == "EUR":
        return price
    rate = ExchangeRate.objects.get(pk=currency).euros
    return (price * rate).quantize(CENT, ROUND_HALF_UP)
