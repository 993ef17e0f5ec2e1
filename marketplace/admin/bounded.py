"""Lists that cost the same however long their table is: counted no further than paged."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from unfold.views import ChangeList


class CappedPaginator(Paginator):
    """Counts no further than anybody pages: some tables hold millions of rows."""

    MOST = 10_000

    @cached_property
    def counted(self) -> int:
        """How many rows there are, or one more than can be paged through."""
        rows = cast("QuerySet[Any]", self.object_list)
        return rows.order_by()[: self.MOST + 1].count()

    @cached_property
    def count(self) -> int:
        """How many rows can be paged through."""
        return min(self.counted, self.MOST)

    @property
    def is_capped(self) -> bool:
        """Whether there are rows beyond the last page."""
        return self.counted > self.MOST


class BoundedChangeList(ChangeList):
    """Sorts by the offered columns alone, and says in words that there is no such page."""

    page_num: int

    def get_ordering_field(self, field_name: Any) -> Any:
        """None for a column that is not offered: its address can be typed all the same."""
        return super().get_ordering_field(field_name) if field_name in self.sortable_by else None

    def get_results(self, request: HttpRequest) -> None:
        try:
            super().get_results(request)
        except IncorrectLookupParameters:
            paginator = self.model_admin.get_paginator(request, self.queryset, self.list_per_page)
            messages.warning(request, _why_not(paginator, self.page_num))
            self.page_num = min(max(self.page_num, 1), paginator.num_pages)
            super().get_results(request)


def _why_not(paginator: CappedPaginator, number: int) -> str:
    if number > paginator.num_pages and paginator.is_capped:
        return _(
            "Only the first %(most)s rows can be paged through; this is the last page. Search or "
            "choose a filter to find others."
        ) % {"most": paginator.MOST}
    return _("There is no page %(number)s; the last one is %(last)s.") % {
        "number": number,
        "last": paginator.num_pages,
    }
