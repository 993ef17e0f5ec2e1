"""SendGrid's event webhook as a test plays it: signed with a key of its own."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from itertools import count
from typing import Any

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.test import Client

from notifications.models import Delivery
from notifications.providers.opaque_ids import opaque_id

URL = "/webhooks/sendgrid/"
KEY = ec.generate_private_key(ec.SECP256R1())
PUBLIC_KEY = base64.b64encode(
    KEY.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
).decode()
_numbers = count(1)


def event(delivery: Delivery | None, word: str, /, **fields: Any) -> dict[str, Any]:
    """An event as SendGrid words it; `fields` win."""
    values: dict[str, Any] = {
        "event": word,
        "sg_event_id": f"event-{next(_numbers)}",
        "sg_message_id": "m1.recvd-1-2",
        "timestamp": int(datetime.now(UTC).timestamp()),
        "email": delivery.address if delivery else "nobody@example.com",
    }
    if delivery:
        values["delivery"] = opaque_id(delivery.pk)
    return {**values, **fields}


def signature_of(timestamp: str, body: bytes, key: ec.EllipticCurvePrivateKey = KEY) -> str:
    signature = key.sign(timestamp.encode() + body, ec.ECDSA(hashes.SHA256()))
    return base64.b64encode(signature).decode()


def post(*events: object) -> Any:
    """Post these events, signed now."""
    return post_raw(json.dumps(events).encode())


def post_raw(body: bytes, signed_at: float | None = None) -> Any:
    """Post any body, signed."""
    timestamp = str(int(signed_at or datetime.now(UTC).timestamp()))
    headers = {
        "x-twilio-email-event-webhook-signature": signature_of(timestamp, body),
        "x-twilio-email-event-webhook-timestamp": timestamp,
    }
    return send(body, headers)


def send(body: bytes, headers: dict[str, str]) -> Any:
    """Post a body with exactly these headers, as no browser would: without a CSRF token."""
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    return client.post(URL, body, content_type="application/json", headers=headers)
