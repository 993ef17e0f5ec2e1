"""What every list of the admin shares: no odd address breaks it; most are only looked at."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.views.main import ERROR_FLAG
from django.core.exceptions import BadRequest, ValidationError
from django.db import DataError, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from unfold.admin import ModelAdmin


class ListAdmin(ModelAdmin):
    """A list whose address holds what the database cannot read is shown without it, never a 500.

    An action on rows that no list can have offered is a bad request.
    """

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


class ReadOnlyAdmin(ListAdmin):
    """Rows that people look at and nobody edits by hand."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
