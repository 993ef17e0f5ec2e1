"""The API as a whole: its addresses, who gets in, its page, and the shape of what goes wrong."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import NinjaAPI, Swagger
from ninja.errors import HttpError, ValidationError

from agents.api import agents, finds
from agents.api.idempotency import UnableToRepeat
from agents.api.messages import message_of
from agents.api.values import UnableToReadAgent
from agents.editing import UnableToAddAgent, UnableToAddSame
from marketplace.api_access import ApiThrottle, BrowserAuth, PersonalTokenAuth
from marketplace.problems import problem


class DocsPage(Swagger):
    """Swagger UI inside our own page: no script in the page, nothing from elsewhere."""

    template = "agents/api.html"


api = NinjaAPI(
    title="Marktlotse",
    version="1",
    urls_namespace="api",
    description=(
        "Your search agents, what they find, and what they have mailed. Authenticate with a "
        "personal token (`Authorization: Bearer …`) from your account's page of tokens. Answers "
        "that are not a success have one shape: `status`, `title`, `detail`, and `errors` by field."
    ),
    auth=[PersonalTokenAuth(), BrowserAuth()],
    throttle=[ApiThrottle()],
    docs=DocsPage(),
)
api.add_router("", agents.router)
api.add_router("", finds.router)


@api.exception_handler(HttpError)
def _refused(request: HttpRequest, error: HttpError) -> HttpResponse:
    if error.status_code != 401:
        return problem(error.status_code, error.message)
    detail = _("Send a valid token: this one is missing, unknown, expired or revoked.")
    response = problem(401, detail)
    response["WWW-Authenticate"] = "Bearer"
    return response


@api.exception_handler(Http404)
def _not_found(request: HttpRequest, error: Http404) -> HttpResponse:
    return problem(404, _("There is nothing here, or nothing of yours."))


@api.exception_handler(ValidationError)
def _unreadable(request: HttpRequest, error: ValidationError) -> HttpResponse:
    errors = [
        {"field": _path(entry["loc"]), "message": message_of(entry)} for entry in error.errors
    ]
    return problem(422, _("Some values cannot be used."), errors)


def _path(location: Any) -> str:
    """`criteria.price_min` of `("body", "data", "criteria", "price_min")`."""
    places = [str(place) for place in location[1:]]
    return ".".join(places[1:] if location[0] == "body" else places)


@api.exception_handler(UnableToReadAgent)
def _refused_by_form(request: HttpRequest, error: UnableToReadAgent) -> HttpResponse:
    return problem(422, _("Some values cannot be used."), error.errors)


@api.exception_handler(UnableToAddAgent)
@api.exception_handler(UnableToAddSame)
def _conflict(request: HttpRequest, error: ValueError) -> HttpResponse:
    return problem(409, str(error))


@api.exception_handler(UnableToRepeat)
def _repeated(request: HttpRequest, error: UnableToRepeat) -> HttpResponse:
    return problem(422 if error.is_other else 409, str(error))
