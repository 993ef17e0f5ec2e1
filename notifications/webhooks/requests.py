"""What every webhook does alike: bounded bodies, and reasons in JSON for what is refused."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from notifications.events import UnableToReadEvents

logger = logging.getLogger(__name__)

# SendGrid posts well under one megabyte.
MOST_BYTES = 8 * 1024 * 1024
# Ours to mend: the provider sends the report again later.
UNAVAILABLE = 503


class Refused(Exception):
    """The request is answered with this status and reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


View = Callable[[HttpRequest], HttpResponse]


def webhook(view: View) -> View:
    """POST only; a malformed report is 4xx, our own failure 5xx so that it is sent again."""

    @csrf_exempt
    @wraps(view)
    def guarded(request: HttpRequest) -> HttpResponse:
        if request.method != "POST":
            return _answer(405, "Only POST.", Allow="POST")
        try:
            return view(request)
        except Refused as refusal:
            return _answer(refusal.status, refusal.reason)
        except UnableToReadEvents as error:
            return _answer(400, str(error))
        except DatabaseError:
            logger.exception("UnableToStoreEvents: the provider will send them again")
            return _answer(UNAVAILABLE, "The events could not be stored; send them again.")

    return guarded


def body_of(request: HttpRequest) -> bytes:
    """The raw body, as it was signed. Raises Refused for a huge one, or one that was cut."""
    try:
        body = request.read(MOST_BYTES + 1)
    except OSError as error:
        raise Refused(400, "The body ended early.") from error
    if len(body) > MOST_BYTES:
        raise Refused(413, f"The body is larger than {MOST_BYTES} bytes.")
    return body


def _answer(status: int, reason: str, **headers: str) -> HttpResponse:
    return JsonResponse({"error": reason}, status=status, headers=headers)
