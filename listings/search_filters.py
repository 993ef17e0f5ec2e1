"""The filters of a search as links: what is active can be taken away, what is found narrowed down.

Everything here comes from the form and the URL; nothing asks the database.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.translation import gettext as _

from listings.forms import SearchForm
from listings.prices import amount_in_words
from listings.trees import Branch

MAX_NARROWER = 8
FILTERS = ("keywords", "industries", "regions", "price_min", "price_max", "priced_only")


@dataclass(frozen=True, slots=True)
class FilterLink:
    """A search one step from this one: its name for people, its query, how many it finds."""

    label: str
    query: str
    count: int = 0


def kept_query(params: QueryDict, **changes: Sequence[str]) -> str:
    """The search's part of the URL with these values instead; no page, nothing empty."""
    kept = QueryDict(mutable=True)
    for name in (*FILTERS, "sort"):
        values = [value for value in changes.get(name, params.getlist(name)) if value.strip()]
        if values:
            kept.setlist(name, values)
    return kept.urlencode()


def active_filters(form: SearchForm, params: QueryDict) -> list[FilterLink]:
    """Each filter in force, with the query of the search without it; for a valid form."""
    return [*_tree_filters(form, params), *_other_filters(form, params)]


def _tree_filters(form: SearchForm, params: QueryDict) -> Iterator[FilterLink]:
    for field in ("industries", "regions"):
        names = _names(form.branches(field))
        codes = getattr(form.criteria, field)
        for code in codes:
            others = [other for other in codes if other != code]
            yield FilterLink(names[code], kept_query(params, **{field: others}))


def _other_filters(form: SearchForm, params: QueryDict) -> Iterator[FilterLink]:
    criteria = form.criteria
    if criteria.keywords:
        label = _("“%(keywords)s”") % {"keywords": criteria.keywords}
        yield FilterLink(label, kept_query(params, keywords=()))
    if criteria.price_min is not None:
        label = _("from %(low)s") % {"low": amount_in_words(criteria.price_min, "EUR")}
        yield FilterLink(label, kept_query(params, price_min=()))
    if criteria.price_max is not None:
        label = _("up to %(high)s") % {"high": amount_in_words(criteria.price_max, "EUR")}
        yield FilterLink(label, kept_query(params, price_max=()))
    if not criteria.include_on_request:
        yield FilterLink(_("only with a stated price"), kept_query(params, priced_only=()))


def narrower(
    form: SearchForm, params: QueryDict, field: str, places: Mapping[str, int]
) -> list[FilterLink]:
    """Where in the tree of `field` the hits lie, one level below what is chosen, most first.

    `places` counts the hits by code. Empty where there is no choice left to make.
    """
    chosen = set(getattr(form.criteria, field))
    names, counts = {}, Counter[str]()
    for branch in form.branches(field):
        below = dict(branch.children)
        if chosen & {branch.code, *below}:
            names.update(below)
            counts.update({code: places.get(code, 0) for code in below})
        elif not chosen:
            names[branch.code] = branch.name
            counts[branch.code] = sum(places.get(code, 0) for code in (branch.code, *below))
    found = [(code, count) for code, count in counts.most_common(MAX_NARROWER) if count]
    if len(found) < 2:
        return []
    return [
        FilterLink(names[code], kept_query(params, **{field: [code]}), count)
        for code, count in found
    ]


def _names(branches: Sequence[Branch]) -> dict[str, str]:
    return {
        code: name
        for branch in branches
        for code, name in ((branch.code, branch.name), *branch.children)
    }
