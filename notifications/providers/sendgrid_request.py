"""Messages as requests to SendGrid's v3 mail/send, within the limits that it documents."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from email.utils import parseaddr
from typing import Any

from django.conf import settings

from notifications.messages import Message, SharedBody
from notifications.providers.base import Pair
from notifications.providers.mime import ascii_domain, encoded, extra_headers, sender_of
from notifications.providers.opaque_ids import opaque_id

# The name under which events bring our id back.
DELIVERY_ARGUMENT = "delivery"
# Headers that the API wants elsewhere, or refuses.
NOT_AS_HEADERS = frozenset(
    ("reply-to", "received", "dkim-signature", "x-sg-id", "x-sg-eid", "content-type")
)
# Of one recipient, all together; a message with more is filled in by us and goes alone.
MAX_SUBSTITUTION_BYTES = 10_000
# The API takes 30 MB. Characters are counted as six bytes (`\u00e4`); twelve, as an emoji needs,
# would still fit.
MAX_REQUEST_BYTES = 14_000_000
BYTES_PER_CHARACTER = 6
BYTES_PER_RECIPIENT = 400


def batches(pairs: Sequence[Pair], max_batch: int) -> Iterator[list[Pair]]:
    """Requests of messages with the same body, in their order; no address twice in one."""
    together: dict[tuple[SharedBody, int], list[Pair]] = defaultdict(list)
    seen: Counter[tuple[SharedBody, str]] = Counter()
    for delivery_id, message in pairs:
        shared = _fitting(message).shared
        mailbox = (shared, ascii_domain(message.to).lower())
        # Whoever gets the same body n times stands in n requests.
        together[shared, seen[mailbox]].append((delivery_id, message))
        seen[mailbox] += 1
    for group in together.values():
        yield from _bounded(group, max_batch)


def payload(pairs: Sequence[Pair]) -> dict[str, Any]:
    """The body of one request for messages that share theirs; each recipient stands alone."""
    fitting = [(delivery_id, _fitting(message)) for delivery_id, message in pairs]
    shared = fitting[0][1]
    name, address = sender_of(shared)
    request: dict[str, Any] = {
        "personalizations": [_personalization(pk, message) for pk, message in fitting],
        "from": _mailbox(name, address),
        "subject": shared.subject or " ",
        "content": _content(shared),
        # The list headers are our own.
        "tracking_settings": {"subscription_tracking": {"enable": False}},
    }
    if shared.category:
        request["categories"] = [shared.category]
    if shared.reply_to:
        request["reply_to"] = _mailbox(*parseaddr(shared.reply_to))
    if settings.SENDGRID_SANDBOX:
        request["mail_settings"] = {"sandbox_mode": {"enable": True}}
    return request


def _personalization(delivery_id: int, message: Message) -> dict[str, Any]:
    person: dict[str, Any] = {
        "to": [_mailbox(message.to_name, message.to)],
        "custom_args": {DELIVERY_ARGUMENT: opaque_id(delivery_id)},
    }
    headers = {
        name: encoded(name, value, is_folded=False)
        for name, value in extra_headers(message)
        if name.lower() not in NOT_AS_HEADERS
    }
    if headers:
        person["headers"] = headers
    if message.substitutions:
        person["substitutions"] = dict(message.substitutions)
    return person


def _mailbox(name: str, address: str) -> dict[str, str]:
    plain = ascii_domain(address)
    return {"email": plain, "name": name} if name else {"email": plain}


def _content(message: Message) -> list[dict[str, str]]:
    """Plain text first, as the API demands; an empty part is refused."""
    parts = [("text/plain", message.text), ("text/html", message.html)]
    filled = [{"type": kind, "value": body} for kind, body in parts if body.strip()]
    return filled or [{"type": "text/plain", "value": " "}]


def _bounded(group: Sequence[Pair], max_batch: int) -> Iterator[list[Pair]]:
    """Cut where a request would hold too many, or too much."""
    shared = group[0][1]
    body = BYTES_PER_CHARACTER * (len(shared.subject) + len(shared.text) + len(shared.html))
    batch: list[Pair] = []
    size = body
    for pair in group:
        added = _bytes_of(pair[1])
        if batch and (len(batch) == max_batch or size + added > MAX_REQUEST_BYTES):
            yield batch
            batch, size = [], body
        batch.append(pair)
        size += added
    yield batch


def _bytes_of(message: Message) -> int:
    """What a recipient adds to a request, rather too much than too little."""
    characters = len(message.to) + len(message.to_name)
    for values in (message.headers, message.substitutions):
        characters += sum(len(name) + len(value) + 8 for name, value in values.items())
    return BYTES_PER_RECIPIENT + BYTES_PER_CHARACTER * characters


def _fitting(message: Message) -> Message:
    """The message, filled in by us where it has more substitutions than the API takes."""
    if not message.substitutions:
        return message
    size = sum(len(f"{tag}{text}".encode()) for tag, text in message.substitutions.items())
    return message if size <= MAX_SUBSTITUTION_BYTES else message.filled_in()
