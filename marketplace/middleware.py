"""What every page has in common: its reader's language and time zone, and how it says no."""

import zoneinfo
from collections.abc import Callable
from urllib.parse import urlencode

from django.conf import settings
from django.core.exceptions import FieldDoesNotExist
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.defaults import bad_request
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from marketplace.problems import problem

API = "/api/"


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


class SignInAgainMiddleware:
    """Where a page asks for a part of it after the session ended, the whole page goes to sign-in.

    htmx would follow the redirect by itself and put the sign-in page into the part's place.
    Afterwards the person is back on the page they were on.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        sign_in = resolve_url(settings.LOGIN_URL)
        is_part = request.headers.get("HX-Request") == "true"
        if not (is_part and response.headers.get("Location", "").partition("?")[0] == sign_in):
            return response
        page = HtmxDetails(request).current_url_abs_path or settings.LOGIN_REDIRECT_URL
        return HttpResponseClientRedirect(f"{sign_in}?{urlencode({'next': page})}")


class RefusalMiddleware:
    """Programs are told in JSON of addresses and methods that the API does not have.

    A person who opens an address that only takes forms reads a page instead of nothing: that
    happens to whoever has to sign in again before a button of an old page.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code not in (404, 405):
            return response
        if request.path_info.startswith(API):
            return _said_in_json(response)
        if response.status_code == 405 and not response.content:
            return _with_allow(response, render(request, "405.html", status=405))
        return response


def _said_in_json(response: HttpResponse) -> HttpResponse:
    if response.headers.get("Content-Type", "").startswith("application/json"):
        return response
    if response.status_code == 404:
        return problem(404, _("There is nothing here, or nothing of yours."))
    return _with_allow(response, problem(405, _("This address does not take such a request.")))


def _with_allow(refusal: HttpResponse, told: HttpResponse) -> HttpResponse:
    told["Allow"] = refusal.headers.get("Allow", "")
    return told
