"""The orders in which companies are listed, and each company's place in them.

Every order is one expression and the id, both in the same direction, and has an index of its own.
A price on request comes last, whichever way prices run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from django.db.models import F, Q, QuerySet, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from listings.models import Company
from listings.models.company import ABOVE_ALL_PRICES, BELOW_ALL_PRICES

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CENTS = 100


@dataclass(frozen=True, slots=True)
class Order:
    """One order: `key` names it in URLs; `number` and `value` turn places into cursors and back."""

    key: str
    label: Promise
    expression: Combinable
    descends: bool
    number: Callable[[Company], int]
    value: Callable[[int], datetime | Decimal]

    def sorted(self, companies: QuerySet[Company], *, backwards: bool = False) -> QuerySet[Company]:
        """The companies in this order, or from its end."""
        sign = "-" if self.descends != backwards else ""
        return companies.alias(place=self.expression).order_by(f"{sign}place", f"{sign}pk")

    def beyond(self, number: int, pk: int, *, backwards: bool = False) -> Q:
        """What comes after the place (or before it); for querysets that `sorted` made."""
        side = "lt" if self.descends != backwards else "gt"
        value = self.value(number)
        # The first condition is implied by the second, but it is the one an index can answer.
        return Q(**{f"place__{side}e": value}) & (
            Q(**{f"place__{side}": value}) | Q(place=value, **{f"pk__{side}": pk})
        )


def _moment_number(company: Company) -> int:
    assert company.fresh_at is not None  # noqa: S101 - published companies have it by constraint
    return (company.fresh_at - _EPOCH) // timedelta(microseconds=1)


def _moment(number: int) -> datetime:
    return _EPOCH + timedelta(microseconds=number)


def _price_number(unpriced: int) -> Callable[[Company], int]:
    def number(company: Company) -> int:
        price = company.price_eur
        return int((Decimal(unpriced) if price is None else price) * _CENTS)

    return number


def _price(number: int) -> Decimal:
    return Decimal(number) / _CENTS


NEWEST = Order("newest", _("Newest"), F("fresh_at"), True, _moment_number, _moment)
CHEAPEST = Order(
    "price",
    _("Price, low to high"),
    Coalesce("price_eur", Value(Decimal(ABOVE_ALL_PRICES))),
    False,
    _price_number(ABOVE_ALL_PRICES),
    _price,
)
DEAREST = Order(
    "price-down",
    _("Price, high to low"),
    Coalesce("price_eur", Value(Decimal(BELOW_ALL_PRICES))),
    True,
    _price_number(BELOW_ALL_PRICES),
    _price,
)
ORDERS = {order.key: order for order in (NEWEST, CHEAPEST, DEAREST)}


def order_called(key: str) -> Order:
    """The order of this key; newest first where the key is unknown."""
    return ORDERS.get(key, NEWEST)
