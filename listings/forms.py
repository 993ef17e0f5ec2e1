"""The form behind every search: what people type becomes `Criteria`, or errors at the fields."""

from __future__ import annotations

from typing import Any

from django import forms
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy as _

from listings.criteria import Criteria, UnableToReadCriteria
from listings.keywords import MAX_KEYWORDS_LENGTH, match_nothing
from listings.models import Industry, Region
from listings.prices import PriceField
from listings.trees import Branch, TreeField, branches_of

NO_KEYWORD = _("No company can match this. Enter a word that says what you are looking for.")


class CriteriaForm(forms.Form):
    """Valid when the values are criteria; `criteria` then holds them."""

    keywords = forms.CharField(
        label=_("Keywords"),
        required=False,
        max_length=MAX_KEYWORDS_LENGTH,
        help_text=_("Every word must occur."),
        widget=forms.TextInput(attrs={"type": "search", "autocomplete": "off"}),
    )
    industries = TreeField(label=_("Industries"))
    regions = TreeField(label=_("Regions"))
    price_min = PriceField(label=_("Price from (€)"))
    price_max = PriceField(label=_("Price up to (€)"))
    priced_only = forms.BooleanField(
        label=_("Leave out companies whose price is on request"), required=False
    )

    criteria: Criteria

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._tree("industries").offer(branches_of(Industry))
        self._tree("regions").offer(branches_of(Region))

    def _tree(self, name: str) -> TreeField:
        field = self.fields[name]
        assert isinstance(field, TreeField)  # noqa: S101
        return field

    def branches(self, name: str) -> list[Branch]:
        """The tree that can be chosen from, named in the active language."""
        return self._tree(name).widget.branches

    def clean(self) -> dict[str, Any]:
        """Build the criteria; what they refuse becomes an error at its field."""
        values = super().clean() or {}
        try:
            self.criteria = Criteria(
                industries=tuple(values.get("industries") or ()),
                regions=tuple(values.get("regions") or ()),
                price_min=values.get("price_min"),
                price_max=values.get("price_max"),
                keywords=values.get("keywords") or "",
                include_on_request=not values.get("priced_only"),
            )
        except UnableToReadCriteria as error:
            for field, message in error.errors.items():
                self.add_error(field if field in self.fields else None, message)
        else:
            if match_nothing(self.criteria.keywords):
                self.add_error("keywords", NO_KEYWORD)
        return values


class SearchForm(CriteriaForm):
    """The criteria of the search page, whose results follow what is typed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["keywords"].widget.attrs.update(
            {
                "hx-get": reverse_lazy("listings:companies"),
                "hx-trigger": "input changed delay:400ms",
                "hx-include": "closest form",
                "hx-sync": "closest form:replace",
            }
        )


def criteria_as_initial(criteria: Criteria) -> dict[str, Any]:
    """The values with which a CriteriaForm shows the criteria."""
    return {
        "industries": list(criteria.industries),
        "regions": list(criteria.regions),
        "price_min": criteria.price_min,
        "price_max": criteria.price_max,
        "keywords": criteria.keywords,
        "priced_only": not criteria.include_on_request,
    }
