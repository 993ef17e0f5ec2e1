"""Mail through SendGrid's v3 API with the official client; one table a kind of error."""

from __future__ import annotations

import errno
import http.client
import json
import logging
import socket
import ssl
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parseaddr
from typing import Any
from urllib.error import URLError

from django.conf import settings
from python_http_client.exceptions import HTTPError
from sendgrid import SendGridAPIClient

from notifications.messages import Message
from notifications.providers.base import (
    Accepted,
    Outcome,
    Permanent,
    Provider,
    Retryable,
    Throttled,
    Unavailable,
    Uncertain,
)
from notifications.providers.mime import extra_headers, sender_of

logger = logging.getLogger(__name__)
# The client writes the API key and whole messages at DEBUG: whatever the level, not in our logs.
logging.getLogger("python_http_client.client").addFilter(lambda record: False)

# The client itself would wait for ever.
TIMEOUT_SECONDS = 20

# By status. 401, 403, 404, 405: our key or the host is wrong, no message is to blame. 502 and 504
# come from something between, which may have passed the message on.
BY_STATUS: Mapping[int, Callable[[str], Outcome]] = {
    401: Unavailable,
    403: Unavailable,
    404: Unavailable,
    405: Unavailable,
    408: Retryable,
    429: Throttled,
    502: Uncertain,
    504: Uncertain,
}
# Errors before anything has left. Every other error of the line leaves open what arrived.
NOTHING_LEFT = (ConnectionRefusedError, socket.gaierror, ssl.SSLCertVerificationError)
NOTHING_LEFT_NUMBERS = frozenset((errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ENETDOWN))
# Headers that the API wants elsewhere, or refuses.
NOT_AS_HEADERS = frozenset(
    ("reply-to", "received", "dkim-signature", "x-sg-id", "x-sg-eid", "content-type")
)


class SendGridProvider(Provider):
    """One request a message, so that one bad address spoils nothing."""

    name = "sendgrid"

    def __init__(self) -> None:
        self._api = SendGridAPIClient(
            settings.SENDGRID_API_KEY, host=settings.SENDGRID_API_HOST.rstrip("/")
        )
        self._api.client.timeout = TIMEOUT_SECONDS

    def send(self, delivery_id: int, message: Message) -> Outcome:
        try:
            response = self._api.send(_payload(delivery_id, message))
        except HTTPError as error:
            return _by_status(error)
        except (OSError, http.client.HTTPException) as error:
            return _by_error(error)
        return Accepted(message_id=response.headers.get("X-Message-Id") or "")


def _payload(delivery_id: int, message: Message) -> dict[str, Any]:
    name, address = sender_of(message)
    headers = dict(extra_headers(message))
    payload: dict[str, Any] = {
        "personalizations": [
            {
                "to": [_mailbox(message.to_name, message.to)],
                "custom_args": {"delivery": str(delivery_id)},
                "headers": {
                    key: value
                    for key, value in headers.items()
                    if key.lower() not in NOT_AS_HEADERS
                },
            }
        ],
        "from": _mailbox(name, address),
        "subject": message.subject or " ",
        "content": _content(message),
        # The list headers are our own.
        "tracking_settings": {"subscription_tracking": {"enable": False}},
    }
    if message.category:
        payload["categories"] = [message.category]
    reply_to = next((value for key, value in headers.items() if key.lower() == "reply-to"), "")
    if reply_to:
        payload["reply_to"] = _mailbox(*parseaddr(reply_to))
    return payload


def _mailbox(name: str, address: str) -> dict[str, str]:
    return {"email": address, "name": name} if name else {"email": address}


def _content(message: Message) -> list[dict[str, str]]:
    """Plain text first, as the API demands; an empty part is refused."""
    parts = [("text/plain", message.text), ("text/html", message.html)]
    filled = [{"type": kind, "value": body} for kind, body in parts if body.strip()]
    return filled or [{"type": "text/plain", "value": " "}]


def _by_status(error: HTTPError) -> Outcome:
    answer = f"{error.status_code} {_reason_in(error.body)}"
    default = Permanent if 400 <= error.status_code < 500 else Retryable
    make = BY_STATUS.get(error.status_code, default)
    if make is Throttled:
        return Throttled(answer, until=_reset_time(error.headers))
    if make is Unavailable:
        logger.error("UnableToSend: SendGrid refuses us, not a message: %s", answer)
    return make(answer)


def _by_error(error: Exception) -> Outcome:
    """What an error of the line means; urllib wraps those of connecting and of sending."""
    cause = error.reason if isinstance(error, URLError) else error
    answer = f"{type(cause).__name__}: {cause}"
    number = getattr(cause, "errno", None)
    if isinstance(error, URLError) and (
        isinstance(cause, NOTHING_LEFT) or number in NOTHING_LEFT_NUMBERS
    ):
        logger.error("UnableToConnect: SendGrid cannot be reached (%s)", answer)
        return Unavailable(answer)
    return Uncertain(answer, is_timeout=isinstance(cause, TimeoutError))


def _reason_in(body: bytes) -> str:
    """The API's own words, out of `{"errors": [{"message": …, "field": …}]}`."""
    try:
        errors = json.loads(body)["errors"]
        return "; ".join(str(error["message"]) for error in errors)
    except (ValueError, KeyError, TypeError):
        return body.decode("utf-8", "replace") if isinstance(body, bytes) else ""


def _reset_time(headers: Mapping[str, str]) -> datetime | None:
    """When the quota starts anew (`X-RateLimit-Reset`, epoch seconds); None where unreadable."""
    try:
        return datetime.fromtimestamp(int(headers.get("X-RateLimit-Reset") or ""), tz=UTC)
    except (ValueError, OverflowError, OSError):
        return None
