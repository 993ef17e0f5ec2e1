"""Criteria in words, in the language of whoever reads them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from django.utils import translation
from django.utils.translation import gettext as _

from listings.criteria import Criteria
from listings.models import Industry, Region
from listings.prices import amount_in_words

_names: dict[tuple[type, str], Mapping[str, str]] = {}


def name_of(model: type[Industry] | type[Region], code: str) -> str:
    """The name of an industry or region in the active language; the code where it is unknown."""
    load_names(model, [code])
    names = _names.get((model, code))
    return names[(translation.get_language() or "en")[:2]] if names else code


def load_names(model: type[Industry] | type[Region], codes: Collection[str]) -> None:
    """Read the names of these codes, those not known yet, in one query.

    Names change with a release only, so a process keeps them.
    """
    unknown = {code for code in codes if (model, code) not in _names}
    if unknown:
        for node in model.objects.filter(code__in=unknown):
            _names[(model, node.code)] = {
                "en": node.name_en, "de": node.name_de, "hr": node.name_hr
            }  # fmt: skip


def criteria_in_words(criteria: Criteria, language: str) -> str:
    """What the criteria ask for, in a line: `Manufacturing · Bavaria · up to €500,000`."""
    with translation.override(language):
        parts = [
            _any_of(Industry, criteria.industries),
            _any_of(Region, criteria.regions),
            _range_in_words(criteria),
            _("“%(keywords)s”") % {"keywords": criteria.keywords} if criteria.keywords else "",
            "" if criteria.include_on_request else _("only with a stated price"),
        ]
        return " · ".join(part for part in parts if part) or _("all companies")


def _any_of(model: type[Industry] | type[Region], codes: tuple[str, ...]) -> str:
    load_names(model, codes)
    return ", ".join(name_of(model, code) for code in codes)


def _range_in_words(criteria: Criteria) -> str:
    low, high = criteria.price_min, criteria.price_max
    if low is not None and high is not None:
        return _("%(low)s to %(high)s") % {
            "low": amount_in_words(low, "EUR"), "high": amount_in_words(high, "EUR")
        }  # fmt: skip
    if low is not None:
        return _("from %(low)s") % {"low": amount_in_words(low, "EUR")}
    if high is not None:
        return _("up to %(high)s") % {"high": amount_in_words(high, "EUR")}
    return ""
