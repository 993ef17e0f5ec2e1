"""Reading SendGrid's event webhook: a JSON array of events, in SendGrid's words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from notifications.events.cleaning import fingerprint, moment_of, storable, text_of
from notifications.events.reported import ReportedEvent, UnableToReadEvents
from notifications.models import EventKind, Suppression
from notifications.providers.opaque_ids import delivery_id_of

PROVIDER = "sendgrid"
MOST_EVENTS = 10_000

KINDS: Mapping[str, EventKind] = {
    "processed": EventKind.ACCEPTED,
    "delivered": EventKind.DELIVERED,
    "deferred": EventKind.DEFERRED,
    "dropped": EventKind.DROPPED,
    "open": EventKind.OPENED,
    "click": EventKind.CLICKED,
    "spamreport": EventKind.COMPLAINED,
    "unsubscribe": EventKind.UNSUBSCRIBED,
    "group_unsubscribe": EventKind.UNSUBSCRIBED,
}
# Why SendGrid did not even try: what it remembers of the address, in lower case.
DROPS: Mapping[str, Suppression.Cause] = {
    "bounced address": Suppression.Cause.BOUNCE,
    "invalid": Suppression.Cause.BOUNCE,
    "spam reporting address": Suppression.Cause.COMPLAINT,
    "unsubscribed address": Suppression.Cause.UNSUBSCRIBE,
}
# Where and on which device somebody reads their mail is nobody's business.
PRIVATE = frozenset(("ip", "useragent", "sg_user_agent"))


def events_in(body: bytes, now: datetime) -> list[ReportedEvent]:
    """All events of a request. Raises UnableToReadEvents for what is not an array of objects."""
    try:
        entries = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise UnableToReadEvents("The body is not JSON.") from error
    if not isinstance(entries, list):
        raise UnableToReadEvents("The body is not a JSON array.")
    if len(entries) > MOST_EVENTS:
        raise UnableToReadEvents(f"More than {MOST_EVENTS} events in one request.")
    return [_event(position, entry, now) for position, entry in enumerate(entries)]


def _event(position: int, entry: object, now: datetime) -> ReportedEvent:
    if not isinstance(entry, dict):
        raise UnableToReadEvents(f"Entry {position} of the array is not an object.")
    kind = _kind_of(entry)
    return ReportedEvent(
        provider=PROVIDER,
        event_id=text_of(entry.get("sg_event_id"), 200) or fingerprint(entry),
        kind=kind,
        happened_at=moment_of(entry.get("timestamp"), now),
        address=text_of(entry.get("email"), 320),
        detail=_detail_of(entry),
        delivery_id=delivery_id_of(text_of(entry.get("delivery"), 200)),
        message_id=text_of(entry.get("sg_message_id"), 200).partition(".")[0],
        bars=_cause_of(kind, entry),
        raw=storable({key: value for key, value in entry.items() if key not in PRIVATE}),
    )


def _kind_of(entry: Mapping[str, Any]) -> EventKind:
    word = text_of(entry.get("event"), 50)
    if word == "bounce":
        return EventKind.BOUNCED if _is_hard(entry) else EventKind.SOFT_BOUNCED
    return KINDS.get(word, EventKind.UNKNOWN)


def _is_hard(entry: Mapping[str, Any]) -> bool:
    """`bounce` is the address's fault; `blocked` and `expired` are not, and may pass."""
    word = text_of(entry.get("type"), 50)
    return word == "bounce" or (not word and text_of(entry.get("status"), 20).startswith("5"))


def _cause_of(kind: EventKind, entry: Mapping[str, Any]) -> Suppression.Cause | None:
    """Leaving a group is told to the message's source; leaving for good bars the address."""
    if kind == EventKind.DROPPED:
        return DROPS.get(text_of(entry.get("reason"), 100).lower())
    if kind == EventKind.UNSUBSCRIBED and entry.get("event") == "group_unsubscribe":
        return None
    return BARRED_BY.get(kind)


BARRED_BY: Mapping[EventKind, Suppression.Cause] = {
    EventKind.BOUNCED: Suppression.Cause.BOUNCE,
    EventKind.COMPLAINED: Suppression.Cause.COMPLAINT,
    EventKind.UNSUBSCRIBED: Suppression.Cause.UNSUBSCRIBE,
}


def _detail_of(entry: Mapping[str, Any]) -> str:
    """What a person reads: the status and the other server's words."""
    words = (text_of(entry.get(key)) for key in ("status", "reason", "response", "type"))
    return " ".join(filter(None, words))[:300]
