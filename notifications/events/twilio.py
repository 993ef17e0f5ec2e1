"""Reading Twilio's status callback: one message and its new status, as a form."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from notifications.events.cleaning import storable, text_of
from notifications.events.reported import ReportedEvent, UnableToReadEvents
from notifications.models import EventKind
from notifications.providers.opaque_ids import delivery_id_of

PROVIDER = "twilio"

KINDS: Mapping[str, EventKind] = {
    "accepted": EventKind.ACCEPTED,
    "scheduled": EventKind.ACCEPTED,
    "queued": EventKind.ACCEPTED,
    "sending": EventKind.ACCEPTED,
    "sent": EventKind.ACCEPTED,
    "delivered": EventKind.DELIVERED,
    "read": EventKind.OPENED,
    "undelivered": EventKind.SOFT_BOUNCED,
    "failed": EventKind.SOFT_BOUNCED,
    "canceled": EventKind.DROPPED,
}
# What the error codes of a failure say about the number.
BY_ERROR_CODE: Mapping[str, EventKind] = {
    "21610": EventKind.UNSUBSCRIBED,
    "21211": EventKind.BOUNCED,
    "21614": EventKind.BOUNCED,
    "30005": EventKind.BOUNCED,
    "30006": EventKind.BOUNCED,
}
FAILURES = ("undelivered", "failed")


def event_in(fields: Mapping[str, str], delivery: str, now: datetime) -> ReportedEvent:
    """The event of a callback; `delivery` is the opaque id its address was given.

    Raises UnableToReadEvents without a message id or a status.
    """
    message_id = text_of(fields.get("MessageSid") or fields.get("SmsSid"), 100)
    status = text_of(fields.get("MessageStatus") or fields.get("SmsStatus"), 50).lower()
    if not message_id or not status:
        raise UnableToReadEvents("MessageSid or MessageStatus is missing.")
    code = text_of(fields.get("ErrorCode"), 20)
    kind = KINDS.get(status, EventKind.UNKNOWN)
    return ReportedEvent(
        provider=PROVIDER,
        event_id=f"{message_id}:{status}",
        kind=BY_ERROR_CODE.get(code, kind) if status in FAILURES else kind,
        happened_at=now,
        address=text_of(fields.get("To"), 320),
        detail=" ".join(filter(None, (status, code, text_of(fields.get("ErrorMessage")))))[:300],
        delivery_id=delivery_id_of(text_of(delivery, 200)),
        message_id=message_id,
        raw=storable(dict(fields)),
    )
