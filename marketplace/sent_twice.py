"""The same form sent twice at once: the second sees what the first has done.

Both may find a name free that only one of them can have. The database refuses the other, which is
then asked once more: now its form finds the name taken and answers as if it had come a moment
later.
"""

from __future__ import annotations

from collections.abc import Callable

from django.db import IntegrityError
from django.http import HttpRequest, HttpResponseBase

UNIQUE_VIOLATION = "23505"


class SentTwiceMiddleware:
    """Asks a view once more that lost a race for something unique; it has rolled back."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass on."""
        return self.get_response(request)

    def process_exception(
        self, request: HttpRequest, exception: Exception
    ) -> HttpResponseBase | None:
        """The answer of the second try; None for every other failure."""
        code = getattr(exception.__cause__, "pgcode", "")
        if not isinstance(exception, IntegrityError) or code != UNIQUE_VIOLATION:
            return None
        match = request.resolver_match
        if request.method != "POST" or match is None:
            return None
        answer: HttpResponseBase = match.func(request, *match.args, **match.kwargs)
        return answer
