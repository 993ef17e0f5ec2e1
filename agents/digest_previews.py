"""Digests and welcomes as staff see them before people do: real ones, in any language."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from agents.digest_reader import read_digests
from agents.digests import compose_digest
from marketplace.mail_previews import Preview, Previewer
from notifications.models import Delivery

LOOKED_AT = 20


def previewer(kind: str) -> Previewer:
    """Shows the newest delivery of `kind` that could be sent now."""

    def shown(language: str) -> Preview | None:
        newest = Delivery.objects.filter(kind=kind).exclude(user=None).order_by("-pk")
        return _first(list(newest[:LOOKED_AT]), language)

    return shown


def _first(deliveries: list[Delivery], language: str) -> Preview | None:
    with transaction.atomic():
        batch = read_digests(deliveries, timezone.now())
        # Reading takes out of the dedup table what fell away since the plan; looking must not.
        transaction.set_rollback(True)
    if not batch.contents:
        return None
    content = batch.contents[0]
    content.user.language = language  # of this reading only; nothing is stored
    message = compose_digest(content)
    return Preview(message.subject, message.text, message.html)
