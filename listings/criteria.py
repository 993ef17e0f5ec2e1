"""What a person looks for: a frozen value, valid by construction, ↔ JSON, ↔ `Q`.

One meaning, two readers: `Criteria.q()` for pages and previews, and the bitmap matcher of a
report run. A property test holds them to the same answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from listings.keywords import MAX_KEYWORDS_LENGTH, Lexemes, clean_keywords, keywords_q
from listings.models.taxonomy import Industry, Region

MAX_CODES = 200
MAX_PRICE = Decimal("999999999999.99")


class UnableToReadCriteria(ValueError):
    """The given values are no criteria; `errors` maps field names to messages for people."""

    def __init__(self, errors: Mapping[str, Any]) -> None:
        super().__init__("; ".join(f"{field}: {text}" for field, text in errors.items()))
        self.errors = dict(errors)


@dataclass(frozen=True, slots=True)
class Criteria:
    """Industries and regions by code (a parent includes its children; none means all).

    Prices are in euros, both ends included. A price on request lies in every range unless
    `include_on_request` is off. Every keyword must occur.
    """

    industries: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    price_min: Decimal | None = None
    price_max: Decimal | None = None
    keywords: str = ""
    include_on_request: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "industries", _codes(self.industries))
        object.__setattr__(self, "regions", _codes(self.regions))
        object.__setattr__(self, "keywords", clean_keywords(self.keywords))
        object.__setattr__(self, "price_min", _price("price_min", self.price_min))
        object.__setattr__(self, "price_max", _price("price_max", self.price_max))
        if errors := self._errors():
            raise UnableToReadCriteria(errors)

    def _errors(self) -> dict[str, Any]:
        errors: dict[str, Any] = {}
        for field in ("industries", "regions"):
            if len(getattr(self, field)) > MAX_CODES:
                errors[field] = _("Choose fewer.")
        if len(self.keywords) > MAX_KEYWORDS_LENGTH:
            errors["keywords"] = _("Use fewer or shorter words.")
        if None not in (self.price_min, self.price_max) and self.price_min > self.price_max:  # type: ignore[operator]
            errors["price_max"] = _("The highest price must not be below the lowest.")
        return errors

    @property
    def is_everything(self) -> bool:
        """True when every company matches."""
        return self == EVERYTHING

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values; prices as strings, so that no cent is lost."""
        return criteria_json(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Criteria:
        """The inverse of `to_json`; raises UnableToReadCriteria on anything else."""
        if not isinstance(values, Mapping):
            raise UnableToReadCriteria({"criteria": _("Criteria must be an object.")})
        if unknown := set(values) - set(cls.__slots__):
            raise UnableToReadCriteria({name: _("Unknown field.") for name in sorted(unknown)})
        if not isinstance(values.get("include_on_request", True), bool):
            raise UnableToReadCriteria({"include_on_request": _("Must be true or false.")})
        return cls(**values)

    def q(self, lexemes: Mapping[str, Lexemes] | None = None) -> Q:
        """The same question as a `Q` on `listings.Company`.

        Keywords cost a query, unless the lexemes of all texts are given.
        """
        return (
            _tree_q(Industry, "industry", self.industries)
            & _tree_q(Region, "region", self.regions)
            & self._price_q()
            & keywords_q(self.keywords, lexemes)
        )

    def _price_q(self) -> Q:
        in_range = Q()
        if self.price_min is not None:
            in_range &= Q(price_eur__gte=self.price_min)
        if self.price_max is not None:
            in_range &= Q(price_eur__lte=self.price_max)
        if self.include_on_request:
            return in_range | Q(price_eur=None) if in_range else Q()
        return in_range & Q(price_eur__isnull=False)


def _codes(codes: Iterable[str]) -> tuple[str, ...]:
    """Sorted, each once: equal criteria compare equal."""
    if isinstance(codes, str) or not all(isinstance(code, str) for code in codes):
        raise UnableToReadCriteria({"codes": _("Codes must be a list of texts.")})
    return tuple(sorted({code.strip().upper() for code in codes if code.strip()}))


def _price(field: str, value: Any) -> Decimal | None:
    if value is None or value == "":
        return None
    try:
        price = Decimal(str(value))
    except InvalidOperation as error:
        raise UnableToReadCriteria({field: _("Enter a number.")}) from error
    if not price.is_finite() or not 0 <= price <= MAX_PRICE:
        raise UnableToReadCriteria({field: _("Enter a price between 0 and 999,999,999,999.")})
    return price.quantize(Decimal("0.01"))


def with_children(
    model: type[Industry] | type[Region], codes: Sequence[str]
) -> QuerySet[Industry] | QuerySet[Region]:
    """These nodes of a tree and their children."""
    return model.objects.filter(Q(code__in=codes) | Q(parent__in=codes))


def _tree_q(model: type[Industry] | type[Region], field: str, codes: tuple[str, ...]) -> Q:
    """One of these nodes or their children; indexes serve a subquery better than a join."""
    if not codes:
        return Q()
    nodes = with_children(model, codes).order_by()
    return Q(**{f"{field}__in": nodes.values("code")})


def criteria_json(terms: Any) -> dict[str, Any]:
    """The JSON of criteria, or of a row with the same fields, without building a value first."""
    return {
        "industries": list(terms.industries),
        "regions": list(terms.regions),
        "price_min": None if terms.price_min is None else str(terms.price_min),
        "price_max": None if terms.price_max is None else str(terms.price_max),
        "keywords": terms.keywords,
        "include_on_request": terms.include_on_request,
    }


EVERYTHING = Criteria()
