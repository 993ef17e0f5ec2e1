"""The one shape in which programs are told that something went wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus

from django.http import JsonResponse


def problem(status: int, detail: str, errors: Iterable[Mapping[str, str]] = ()) -> JsonResponse:
    """An answer `{status, title, detail, errors}`.

    `title` is the status in English, `detail` a sentence for people, and `errors` says of each
    `field` what is wrong with it (`message`).
    """
    body = {
        "status": status,
        "title": HTTPStatus(status).phrase,
        "detail": detail,
        "errors": list(errors),
    }
    return JsonResponse(body, status=status)
