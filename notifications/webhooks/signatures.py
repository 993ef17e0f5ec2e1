"""Proving that a report comes from the provider, by the provider's own way of signing."""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_der_public_key

from notifications.webhooks.requests import UNAVAILABLE, Refused

# A report from the future comes from a wrong clock; one from the past may be a late retry.
CLOCKS_DIFFER_BY = timedelta(minutes=10)
LONGEST_SIGNATURE = 500


def check_sendgrid(
    body: bytes,
    *,
    signature: str,
    timestamp: str,
    public_key: str,
    fresh_for: timedelta,
    now: datetime,
) -> None:
    """ECDSA with SHA-256 over timestamp and raw body. Raises Refused.

    `public_key` is what SendGrid shows: a DER key in Base64, with or without PEM lines. A report
    is taken until `fresh_for` after its time. SendGrid tries for a day to deliver one, and does
    not say whether each try is signed anew: a window of minutes could lose every event of an
    outage. A wide one costs nothing, since a copy changes nothing: each event is stored once.
    """
    key = _key(public_key)
    if not signature or not timestamp:
        raise Refused(400, "The signature or its timestamp is missing.")
    signed_at = _signed_at(timestamp)
    signed = _decoded(signature)
    try:
        key.verify(signed, timestamp.encode() + body, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature as error:
        raise Refused(403, "The signature is not SendGrid's.") from error
    if signed_at > now + CLOCKS_DIFFER_BY or now - signed_at > max(fresh_for, CLOCKS_DIFFER_BY):
        raise Refused(403, "The signature is not of this moment; check the clock.")


def check_twilio(
    url: str, fields: Mapping[str, Sequence[str]], *, signature: str, token: str
) -> None:
    """HMAC-SHA1 over the URL as Twilio sees it and the sorted fields. Raises Refused."""
    if not token:
        raise Refused(UNAVAILABLE, "TWILIO_AUTH_TOKEN is not set.")
    if not signature:
        raise Refused(400, "The signature is missing.")
    signed = url + "".join(
        name + value for name in sorted(fields) for value in sorted(set(fields[name]))
    )
    digest = hmac.digest(token.encode(), signed.encode("utf-8", "surrogatepass"), "sha1")
    expected = base64.b64encode(digest)
    if not hmac.compare_digest(expected, signature.encode("utf-8", "replace")):
        raise Refused(403, "The signature is not Twilio's.")


def _key(text: str) -> ec.EllipticCurvePublicKey:
    """The configured key. Without one nobody can be believed: sent again once it is set."""
    words = (word for word in text.split() if "-----" not in word and word != "PUBLIC")
    encoded = "".join(words)
    if not encoded:
        raise Refused(UNAVAILABLE, "SENDGRID_WEBHOOK_PUBLIC_KEY is not set.")
    try:
        key = load_der_public_key(base64.b64decode(encoded, validate=True))
    except ValueError as error:
        raise Refused(UNAVAILABLE, "SENDGRID_WEBHOOK_PUBLIC_KEY is not a key.") from error
    if not isinstance(key, ec.EllipticCurvePublicKey):
        raise Refused(UNAVAILABLE, "SENDGRID_WEBHOOK_PUBLIC_KEY is not an ECDSA key.")
    return key


def _signed_at(timestamp: str) -> datetime:
    try:
        # Only the digits that SendGrid writes: int() would read "1_0" and other scripts' too.
        if not (timestamp.isascii() and timestamp.isdigit()):
            raise ValueError(timestamp)
        return datetime.fromtimestamp(int(timestamp[:20]), tz=UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise Refused(400, "The timestamp is not a number of seconds.") from error


def _decoded(signature: str) -> bytes:
    try:
        return base64.b64decode(signature[:LONGEST_SIGNATURE].encode("ascii"), validate=True)
    except (binascii.Error, ValueError) as error:
        raise Refused(400, "The signature is not Base64.") from error
