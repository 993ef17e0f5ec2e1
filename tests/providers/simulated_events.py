"""The events that SendGrid would report, and its signature over them.

The beginning of an address decides its fate: `bounce…@`, `block…@`, `drop…@`, `defer…@`,
`complain…@`, `unsubscribe…@`, `open…@`, `click…@`; everybody else's mail is delivered.
"""

from __future__ import annotations

import base64
import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.providers.event_posting import Event, Render

SIGNATURE_HEADER = "X-Twilio-Email-Event-Webhook-Signature"
TIMESTAMP_HEADER = "X-Twilio-Email-Event-Webhook-Timestamp"
FATES: Mapping[str, Sequence[str]] = {
    "bounce": ("processed", "bounce"),
    "block": ("processed", "blocked"),
    "drop": ("dropped",),
    "defer": ("processed", "deferred", "delivered"),
    "complain": ("processed", "delivered", "spamreport"),
    "unsubscribe": ("processed", "delivered", "unsubscribe"),
    "open": ("processed", "delivered", "open"),
    "click": ("processed", "delivered", "open", "click"),
}
DETAILS: Mapping[str, Mapping[str, Any]] = {
    "delivered": {"response": "250 OK"},
    "deferred": {"response": "450 4.2.1 busy", "attempt": "1"},
    "bounce": {"type": "bounce", "status": "5.1.1", "reason": "550 5.1.1 no such user"},
    "blocked": {"event": "bounce", "type": "blocked", "status": "4.7.1", "reason": "451 4.7.1 no"},
    "dropped": {"status": "5.0.0", "reason": "Bounced Address"},
    "click": {"url": "https://www.example.com/"},
}


class SigningKey:
    """A P-256 key that is the same for the same seed, so that settings can name it beforehand."""

    def __init__(self, seed: int) -> None:
        secret = int.from_bytes(hashlib.sha256(f"simulator {seed}".encode()).digest(), "big")
        self._key = ec.derive_private_key(secret >> 1, ec.SECP256R1())

    @property
    def public(self) -> str:
        """What SENDGRID_WEBHOOK_PUBLIC_KEY wants: DER in base64."""
        der = self._key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        return base64.b64encode(der).decode()

    def headers(self, body: bytes) -> dict[str, str]:
        """Signature and time-stamp of a request with this body, as of now."""
        timestamp = str(int(time.time()))
        signature = self._key.sign(timestamp.encode() + body, ec.ECDSA(hashes.SHA256()))
        return {
            SIGNATURE_HEADER: base64.b64encode(signature).decode(),
            TIMESTAMP_HEADER: timestamp,
        }


def signing_render(url: str, key: SigningKey) -> Render:
    """Events as one signed request to `url`."""

    def render(events: Sequence[Event]) -> tuple[str, bytes, Mapping[str, str]]:
        body = json.dumps(events).encode()
        return url, body, {"Content-Type": "application/json", **key.headers(body)}

    return render


def events_of(person: Mapping[str, Any], message_id: str, category: Sequence[str]) -> list[Event]:
    """What becomes of one accepted message, each with an id of its own."""
    address = str(person["to"][0]["email"])
    kinds = next(
        (kinds for start, kinds in FATES.items() if address.lower().startswith(start)),
        ("processed", "delivered"),
    )
    identity = f"{message_id} {address}"
    return [
        {
            **person.get("custom_args", {}),
            "email": address,
            "timestamp": int(time.time()),
            "event": kind,
            "category": list(category),
            "sg_event_id": hashlib.sha256(f"{identity} {kind}".encode()).hexdigest()[:22],
            "sg_message_id": f"{message_id}.recvd-simulator-0",
            "smtp-id": f"<{message_id}@simulator.example>",
            **DETAILS.get(kind, {}),
        }
        for kind in kinds
    ]
