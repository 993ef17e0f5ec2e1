"""What every list of the admin shares: no odd address breaks it, and no long table slows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.views.main import ERROR_FLAG
from django.core.exceptions import BadRequest, ValidationError
from django.db import DataError, transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from unfold.admin import ModelAdmin

from marketplace.admin.bounded import BoundedChangeList, CappedPaginator
from marketplace.admin.lookups import in_words, lookup_for
from marketplace.sent_twice import asked_again


class ListAdmin(ModelAdmin):
    """A list whose address holds what the database cannot read is shown without it, never a 500.

    An action on rows that no list can have offered is a bad request.

    It costs the same however long its table is: counted as far as it is paged, sorted only by the
    columns of `sortable_by` (each needs an index), searched in one of the ways of `lookups`.
    """

    lookups: Any = ()
    ordering: ClassVar[Any] = ("-pk",)
    paginator: Any = CappedPaginator
    list_per_page = 50
    show_facets = admin.ShowFacets.NEVER
    show_full_result_count = False
    sortable_by: Any = ()
    list_after_template = "marketplace/admin/list_end.html"

    def __init__(self, model: type[Model], admin_site: admin.AdminSite) -> None:
        super().__init__(model, admin_site)
        if self.lookups:
            self.search_help_text = in_words(self.lookups)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[Any]:
        return BoundedChangeList

    def get_search_fields(self, request: HttpRequest) -> Sequence[str]:
        """Django shows a field to search in where there are any."""
        return ("pk",) if self.lookups else super().get_search_fields(request)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """The rows found in the one way that fits the text; a warning where none does."""
        text = search_term.strip()
        if not self.lookups or not text:
            return super().get_search_results(request, queryset, search_term)
        if lookup := lookup_for(text, self.lookups):
            return lookup.find(queryset, text), False
        words = {"text": text, "ways": in_words(self.lookups)}
        problem = _("“%(text)s” cannot be searched for here, only: %(ways)s.") % words
        self.message_user(request, problem, messages.WARNING, fail_silently=True)
        return queryset.none(), False

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """A double click adds or changes once, and is no error."""
        return asked_again(super().changeform_view)(request, *args, **kwargs)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        if not all(map(self._may_be_a_row, request.POST.getlist(ACTION_CHECKBOX_NAME))):
            raise BadRequest
        if request.method != "GET" or ERROR_FLAG in request.GET:
            return super().changelist_view(request, extra_context)
        try:
            with transaction.atomic():
                return super().changelist_view(request, extra_context)
        except (DataError, ValueError):
            return HttpResponseRedirect(f"{request.path}?{ERROR_FLAG}=1")

    def _may_be_a_row(self, key: str) -> bool:
        try:
            self.opts.pk.clean(key, None)
        except ValidationError:
            return False
        return "\x00" not in key


class ShortListAdmin(ListAdmin):
    """Rows that come with a release or are made one by one: any order, any search is quick."""

    sortable_by: Any = None
    ordering: ClassVar[Any] = None


class ReadOnlyAdmin(ListAdmin):
    """Rows that people look at and nobody edits by hand."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
