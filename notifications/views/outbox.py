"""The developers' outbox: every mail the outbox provider wrote, as HTML, text and headers."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.clickjacking import xframe_options_sameorigin

from marketplace.methods import require_safe
from notifications import outbox_files
from notifications.outbox_files import StoredMail

PAGE_SIZE = 50
HEAD_TAG = re.compile(r"<head[^>]*>", re.IGNORECASE)
# Links open beside the outbox instead of inside the frame.
LINKS_OPEN_OUTSIDE = '<base target="_blank">'
# A mail may show pictures and use its own styles, and may do nothing else.
MAIL_POLICY = (
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; "
    "img-src http: https: data:; style-src 'unsafe-inline'"
)

Arguments = ParamSpec("Arguments")
View = Callable[Concatenate[HttpRequest, Arguments], HttpResponse]


def developers_only(view: View[Arguments]) -> View[Arguments]:
    """404 unless this is a developer's machine whose mails are files."""

    @wraps(view)
    def guarded(
        request: HttpRequest, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> HttpResponse:
        if not (settings.IS_DEVELOPMENT and settings.EMAIL_PROVIDER == "outbox"):
            raise Http404
        return view(request, *args, **kwargs)

    return guarded


@require_safe
@developers_only
def mails(request: HttpRequest) -> HttpResponse:
    """The list, newest first; `?recipient=` searches, `?before=` pages."""
    recipient = request.GET.get("recipient", "").strip()
    before = request.GET.get("before", "")
    found = outbox_files.newest(
        before=int(before) if before.isdecimal() else None, recipient=recipient, limit=PAGE_SIZE
    )
    context = {
        "mails": found.mails,
        "recipient": recipient,
        "is_first_page": not before,
        "next_before": found.older_than,
        "searched": outbox_files.MOST_SEARCHED if found.is_cut_short else None,
    }
    return render(request, "notifications/outbox.html", context)


@require_safe
@developers_only
def mail(request: HttpRequest, delivery_id: int, part: str) -> HttpResponse:
    """One mail: `part` is html, text or headers."""
    context = {"mail": _stored(delivery_id), "part": part}
    return render(request, "notifications/outbox_mail.html", context)


@require_safe
@developers_only
@xframe_options_sameorigin
def mail_body(request: HttpRequest, delivery_id: int) -> HttpResponse:
    """The bare HTML of a mail, for the frame: no script runs in it."""
    html = _stored(delivery_id).html
    head = HEAD_TAG.search(html)
    at = head.end() if head else 0
    response = HttpResponse(html[:at] + LINKS_OPEN_OUTSIDE + html[at:])
    response["Content-Security-Policy"] = MAIL_POLICY
    return response


def _stored(delivery_id: int) -> StoredMail:
    found = outbox_files.read(delivery_id)
    if found is None:
        raise Http404
    return found
