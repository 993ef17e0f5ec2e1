"""How often something may be tried: allauth's counters, for our own pages and the API as well.

The rates are those of ACCOUNT_RATE_LIMITS (config/security.py names the variables); a rate per
`key` counts a signed-in person wherever they are, and a guest by address.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from allauth.account.adapter import get_adapter
from allauth.core import ratelimit
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from marketplace.models import User
from marketplace.problems import problem

# In seconds: the period of the rates, but for failed log-ins, where it is a fair first wait.
WAIT = 60

Arguments = ParamSpec("Arguments")
View = Callable[Concatenate[HttpRequest, Arguments], HttpResponse]


def limited(action: str) -> Callable[[View[Arguments]], View[Arguments]]:
    """A decorator for views: beyond the rate of `action` the answer is 429."""

    def decorate(view: View[Arguments]) -> View[Arguments]:
        @wraps(view)
        def guarded(
            request: HttpRequest, *args: Arguments.args, **kwargs: Arguments.kwargs
        ) -> HttpResponse:
            user = request.user if isinstance(request.user, User) else None
            if not may_go_on(request, action, user):
                return too_many_requests(request)
            return view(request, *args, **kwargs)

        return guarded

    return decorate


def may_go_on(request: HttpRequest, action: str, user: User | None) -> bool:
    """Count this request; False when it is one too many."""
    key = f"user {user.pk}" if user else f"address {get_adapter().get_client_ip(request)}"
    answer = ratelimit.consume_or_429(request, action=action, key=key, user=user, limit_get=True)
    return answer is None


def too_many_requests(request: HttpRequest) -> HttpResponse:
    """429 as a page, or as a problem for programs; allauth answers with it too."""
    if request.get_preferred_type(["text/html", "application/json"]) == "application/json":
        response: HttpResponse = problem(429, _("Too many attempts. Please wait."))
    else:
        response = render(request, "429.html", status=429)
    response["Retry-After"] = str(WAIT)
    return response
