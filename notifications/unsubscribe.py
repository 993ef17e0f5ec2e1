"""One-click unsubscribe (RFC 8058): the token of a delivery, and the headers that carry it."""

from __future__ import annotations

from urllib.parse import quote

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.urls import reverse

from notifications.models import Delivery
from notifications.sources import source_of

SALT = "notifications.unsubscribe"


def token_of(delivery: Delivery) -> str:
    """What identifies the delivery in its links. Signed, opaque, always the same, never expires.

    It names the person and the kind too, so that it still works when the row was pruned.
    """
    identity = [delivery.pk, delivery.kind, delivery.user_id, delivery.subject_id]
    return signing.Signer(salt=SALT).sign_object(identity)


def delivery_of(token: str) -> Delivery | None:
    """The delivery a token was made for (not stored where it was pruned); None for a bad token."""
    try:
        pk, kind, user_id, subject_id = signing.Signer(salt=SALT).unsign_object(token)
    except (signing.BadSignature, ValueError):
        return None
    stored = Delivery.objects.filter(pk=pk, kind=kind).first()
    return stored or Delivery(pk=pk, kind=kind, user_id=user_id, subject_id=subject_id)


def unsubscribe_url(delivery: Delivery) -> str:
    """The address of the delivery's unsubscribe page."""
    return settings.SITE_URL + reverse("notifications:unsubscribe", args=[token_of(delivery)])


def list_headers(delivery: Delivery) -> dict[str, str]:
    """The headers with which a mail program offers to unsubscribe by one click."""
    token = token_of(delivery)
    mailto = f"mailto:{settings.OPERATOR_EMAIL}?subject={quote('unsubscribe ' + token)}"
    return {
        "List-Unsubscribe": f"<{unsubscribe_url(delivery)}>, <{mailto}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


def unsubscribe_from(delivery: Delivery) -> None:
    """The recipient wants no more mail like this one. Idempotent; committed as a whole."""
    with transaction.atomic():
        source_of(delivery.kind).unsubscribe(delivery)
