"""The tokens of unsubscribe links: encrypted and authenticated, so they tell nothing and nobody
can make one. The same delivery always has the same token, and it never expires.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from functools import lru_cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from django.conf import settings
from django.utils.crypto import salted_hmac

from notifications.models import Channel, Delivery

SALT = "notifications.unsubscribe"
# Whatever is longer was not made here.
LONGEST_TOKEN = 400


def token_of(delivery: Delivery) -> str:
    """What identifies the delivery in its links.

    It holds person, kind and address too, so that it still works when the row was pruned.
    """
    identity = [
        delivery.pk,
        delivery.kind,
        delivery.user_id,
        delivery.subject_id,
        delivery.address,
    ]
    content = json.dumps(identity, separators=(",", ":"), ensure_ascii=False).encode()
    return _sealed(settings.SECRET_KEY, content)


@lru_cache(maxsize=64)
def _sealed(secret: str, content: bytes) -> str:
    """A mail names its token several times over."""
    sealed = _cipher(secret).encrypt(content, None)
    return urlsafe_b64encode(sealed).rstrip(b"=").decode()


def identity_in(token: str) -> Delivery | None:
    """The delivery the token was made for, as it was then and not read from the ledger.

    None for whatever we never made.
    """
    content = _opened(token)
    if content is None:
        return None
    pk, kind, user_id, subject_id, address = json.loads(content)
    return Delivery(
        pk=pk,
        kind=kind,
        user_id=user_id,
        subject_id=subject_id,
        address=address,
        channel=_channel_of(address),
    )


def _channel_of(address: str) -> Channel:
    """By what the address looks like: tokens are as short as they can be."""
    if "@" in address:
        return Channel.EMAIL
    return Channel.SMS if address.removeprefix("+").isdigit() else Channel.PUSH


def _opened(token: str) -> bytes | None:
    if len(token) > LONGEST_TOKEN or not token.isascii():
        return None
    try:
        sealed = urlsafe_b64decode(token + "=" * (-len(token) % 4))
    except ValueError:
        return None
    # Base64 reads over foreign characters; a token that was changed is none of ours.
    if urlsafe_b64encode(sealed).rstrip(b"=").decode() != token:
        return None
    return next(_contents(sealed), None)


def _contents(sealed: bytes) -> Iterator[bytes]:
    """What is sealed, if the key is ours or was ours."""
    for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        try:
            yield _cipher(key).decrypt(sealed, None)
        except (InvalidTag, ValueError):
            continue


@lru_cache(maxsize=8)
def _cipher(secret: str) -> AESSIV:
    """Deterministic by design: no nonce to store, and no token tells that two are alike."""
    return AESSIV(salted_hmac(SALT, "token", secret=secret, algorithm="sha512").digest())
