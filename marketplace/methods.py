"""Which methods an address takes: every view of ours says it, and all others are refused with 405.

The decorators are Django's own, and leave a mark for the middleware, which refuses before anything
else is asked (sign-in, the form's token) and answers OPTIONS.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.views.decorators import http

View = TypeVar("View", bound=Callable[..., Any])

# What pages of Django and its packages take: they answer whatever else like one of these.
BORROWED = ("GET", "HEAD", "POST")
# What is for programs refuses by itself, in its own shape.
PROGRAMS = ("/api/", "/webhooks/")


def require_http_methods(methods: Sequence[str]) -> Callable[[View], View]:
    """A view that takes these methods alone; OPTIONS names them."""

    def marked(view: View) -> View:
        taking = http.require_http_methods(list(methods))(view)
        taking.allowed_methods = tuple(methods)  # type: ignore[attr-defined]
        return taking

    return marked


def require_safe(view: View) -> View:
    """A view that is only read."""
    return require_http_methods(["GET", "HEAD"])(view)


def require_POST(view: View) -> View:  # noqa: N802  (as Django calls it)
    """A view that only acts."""
    return require_http_methods(["POST"])(view)


def require_form(view: View) -> View:
    """A view that shows a form and takes it."""
    return require_http_methods(["GET", "HEAD", "POST"])(view)


class MethodsMiddleware:
    """405 for methods that no view of pages takes, 200 for OPTIONS, both with `Allow`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], _args: Any, _kwargs: Any
    ) -> HttpResponse | None:
        """Answer instead of the view, or leave it to the view."""
        if request.method in BORROWED or request.path_info.startswith(PROGRAMS):
            return None
        allowed = (*getattr(view, "allowed_methods", BORROWED), "OPTIONS")
        if request.method == "OPTIONS":
            return HttpResponse(headers={"Allow": ", ".join(allowed)})
        return HttpResponseNotAllowed(allowed)
