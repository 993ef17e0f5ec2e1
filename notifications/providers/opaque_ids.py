"""The ids by which providers know our deliveries: nobody else can make or change one.

What comes back in an event settles a delivery, so a bare number would let a forger settle others'.
"""

from __future__ import annotations

from django.core import signing

SALT = "notifications.delivery"


def opaque_id(delivery_id: int) -> str:
    """The delivery's id, signed: letters, digits, `-`, `_` and a dot; always the same."""
    return signing.Signer(sep=".", salt=SALT).sign(signing.b62_encode(delivery_id))


def delivery_id_of(text: str) -> int | None:
    """The delivery that `opaque_id` named; None for anything else, whoever made it."""
    try:
        return signing.b62_decode(signing.Signer(sep=".", salt=SALT).unsign(text))
    except signing.BadSignature:
        return None
