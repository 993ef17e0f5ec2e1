"""Each signed-in person sees pages in their own language and time zone."""

import zoneinfo
from collections.abc import Callable

from django.core.exceptions import FieldDoesNotExist
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation
from django.views.defaults import bad_request


class UserPreferencesMiddleware:
    """Activate the language and time zone of the account; guests keep the browser's language."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.user.is_authenticated:
            return self.get_response(request)
        with timezone.override(zoneinfo.ZoneInfo(request.user.time_zone)):
            translation.activate(request.user.language)
            request.LANGUAGE_CODE = translation.get_language()
            return self.get_response(request)


class UnknownFieldMiddleware:
    """The admin looks objects up by the field that `_to_field` names: 400 where there is none.

    Django checks the name itself unless it is empty, and fails then.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Take over this one error of these requests."""
        named = {**request.GET.dict(), **request.POST.dict()}
        if isinstance(error, FieldDoesNotExist) and named.get("_to_field") == "":
            return bad_request(request, error)
        return None
