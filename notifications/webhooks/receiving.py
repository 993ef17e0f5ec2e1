"""The webhooks of the providers: verify, read, take in."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.utils import timezone

from notifications import events
from notifications.events.sendgrid import events_in
from notifications.events.twilio import event_in
from notifications.webhooks.requests import Refused, body_of, webhook
from notifications.webhooks.signatures import check_sendgrid, check_twilio

FORM = "application/x-www-form-urlencoded"


@webhook
def sendgrid(request: HttpRequest) -> HttpResponse:
    """SendGrid's event webhook: a signed JSON array."""
    body, now = body_of(request), timezone.now()
    check_sendgrid(
        body,
        signature=request.headers.get("X-Twilio-Email-Event-Webhook-Signature", ""),
        timestamp=request.headers.get("X-Twilio-Email-Event-Webhook-Timestamp", ""),
        public_key=settings.SENDGRID_WEBHOOK_PUBLIC_KEY,
        fresh_for=timedelta(hours=settings.SENDGRID_WEBHOOK_FRESH_HOURS),
        now=now,
    )
    received = events.receive(events_in(body, now), now=now)
    return JsonResponse({"received": received.received, "new": received.new})


@webhook
def twilio(request: HttpRequest) -> HttpResponse:
    """Twilio's status callback: a signed form; `?delivery=` is the opaque id we gave it."""
    fields = _form_of(request)
    check_twilio(
        settings.SITE_URL + request.get_full_path(),
        dict(fields.lists()),
        signature=request.headers.get("X-Twilio-Signature", ""),
        token=settings.TWILIO_AUTH_TOKEN,
    )
    now = timezone.now()
    values = {name: str(value) for name, value in fields.items()}
    event = event_in(values, request.GET.get("delivery", ""), now)
    received = events.receive([event], now=now)
    return JsonResponse({"received": received.received, "new": received.new})


def _form_of(request: HttpRequest) -> QueryDict:
    if request.content_type != FORM:
        raise Refused(415, f"The body is not {FORM}.")
    try:
        return QueryDict(body_of(request), encoding="utf-8")
    except SuspiciousOperation as error:
        raise Refused(400, "The form has too many fields.") from error
