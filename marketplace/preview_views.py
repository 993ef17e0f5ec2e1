"""Previews of every mail, for staff."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.clickjacking import xframe_options_sameorigin

from marketplace.mail_names import name_of
from marketplace.mail_previews import Preview, kinds, preview
from marketplace.methods import require_safe
from marketplace.people import signed_in

# A mail may show pictures and use its own styles, and may do nothing else.
MAIL_POLICY = (
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; "
    "img-src http: https: data:; style-src 'unsafe-inline'"
)
HEAD = "<head>"
# Links open beside the preview instead of inside the frame.
LINKS_OPEN_OUTSIDE = '<base target="_blank">'

Arguments = ParamSpec("Arguments")
View = Callable[Concatenate[HttpRequest, Arguments], HttpResponse]


def staff_only(view: View[Arguments]) -> View[Arguments]:
    """404 for everybody else: what staff see is nobody's business."""

    @wraps(view)
    def guarded(
        request: HttpRequest, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> HttpResponse:
        if not (request.user.is_active and request.user.is_staff):
            raise Http404
        return view(request, *args, **kwargs)

    return guarded


@require_safe
@staff_only
def mails(request: HttpRequest) -> HttpResponse:
    """Every kind of mail, and the languages to read it in."""
    return render(request, "marketplace/staff_mails.html", _choices())


@require_safe
@staff_only
def mail(request: HttpRequest, kind: str, language: str) -> HttpResponse:
    """One mail: subject, HTML in a frame, and text."""
    context = {
        "kind": kind,
        "kind_name": name_of(kind),
        "mail_language": language,
        "mail": _found(request, kind, language),
        **_choices(),
    }
    return render(request, "marketplace/staff_mail.html", context)


@require_safe
@staff_only
@xframe_options_sameorigin
def mail_body(request: HttpRequest, kind: str, language: str) -> HttpResponse:
    """The bare HTML for the frame: no script runs in it."""
    found = _found(request, kind, language)
    if found is None:
        raise Http404
    response = HttpResponse(found.html.replace(HEAD, HEAD + LINKS_OPEN_OUTSIDE, 1))
    response["Content-Security-Policy"] = MAIL_POLICY
    return response


def _found(request: HttpRequest, kind: str, language: str) -> Preview | None:
    """The mail; 404 for a kind or language that does not exist."""
    if kind not in kinds() or language not in dict(settings.LANGUAGES):
        raise Http404
    return preview(kind, language, signed_in(request).email)


def _choices() -> dict[str, object]:
    return {"kinds": [(kind, name_of(kind)) for kind in kinds()], "languages": settings.LANGUAGES}
