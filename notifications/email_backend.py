"""Django's e-mail backend that writes to the ledger: every `send_mail` becomes deliveries."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from email.utils import parseaddr
from functools import partial

from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.core.mail.backends.base import BaseEmailBackend
from django.db import DatabaseError, transaction
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.html import strip_tags

from marketplace.models import User
from notifications import ledger
from notifications.account_mail import KIND, LAST_MAIL_KEY
from notifications.ledger import NewDelivery
from notifications.messages import one_line
from notifications.models import MailContent
from notifications.queueing import ACCOUNT_QUEUE, enqueue

# The links in confirmations and resets work for three days.
VALID_FOR = timedelta(days=3)
LONGEST_SUBJECT = 998


class UnableToQueueMail(ValueError):
    """The mail holds what the ledger cannot keep: attachments, or parts beside text and HTML."""


class LedgerEmailBackend(BaseEmailBackend):
    """Stores a delivery for each recipient (to, cc and bcc alike) and enqueues it on commit.

    Each recipient gets a mail of their own that names nobody else.
    """

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Store all messages or none; answers how many had a recipient.

        Raises UnableToQueueMail for a mail with attachments, unless `fail_silently`.
        """
        try:
            with transaction.atomic():
                stored = [_store(message, timezone.now()) for message in email_messages]
                ids = [pk for deliveries in stored for pk in deliveries]
                transaction.on_commit(partial(enqueue, ids, queue=ACCOUNT_QUEUE))
        except (UnableToQueueMail, DatabaseError):
            if not self.fail_silently:
                raise
            return 0
        return sum(1 for deliveries in stored if deliveries)


def _store(message: EmailMessage, now: datetime) -> list[int]:
    """Open the deliveries of one mail and keep its text with each; their ids."""
    addresses = _distinct(message.recipients())
    html = _html_of(message)
    body = str(message.body)
    text = strip_tags(body) if message.content_subtype == "html" else body
    user_ids = _user_ids(addresses)
    # A message may know its person where the address does not tell: see `AccountAdapter`.
    person = getattr(message, "person_id", None)
    # So does one whose address is nobody's any more once it has been sent.
    start = LAST_MAIL_KEY if getattr(message, "forgets_address", False) else f"{KIND}:"
    rows = [_delivery(start, each, user_ids.get(each.lower(), person), now) for each in addresses]
    ids = list(ledger.open_deliveries(rows).values())
    MailContent.objects.bulk_create(
        MailContent(
            delivery_id=pk,
            from_address=one_line(message.from_email),
            subject=one_line(str(message.subject))[:LONGEST_SUBJECT],
            text=text,
            html=html,
            headers=_headers_of(message),
        )
        for pk in ids
    )
    return ids


def _delivery(key_start: str, address: str, user_id: int | None, now: datetime) -> NewDelivery:
    return NewDelivery(
        idempotency_key=f"{key_start}{uuid.uuid4()}",
        kind=KIND,
        user_id=user_id,
        address=address,
        subject_id=None,
        created_at=now,
        expires_at=now + VALID_FOR,
    )


def _distinct(addresses: Sequence[str]) -> list[str]:
    """The bare addresses, each mailbox once whatever its upper and lower case."""
    plain = (parseaddr(one_line(address))[1] for address in addresses)
    by_mailbox: dict[str, str] = {}
    for address in filter(None, plain):
        by_mailbox.setdefault(address.lower(), address)
    return list(by_mailbox.values())


def _user_ids(addresses: Sequence[str]) -> dict[str, int]:
    """Whose addresses these are, by the address in lower case. One query."""
    people = User.objects.annotate(address=Lower("email")).filter(
        address__in=[address.lower() for address in addresses]
    )
    return dict(people.values_list("address", "pk"))


def _html_of(message: EmailMessage) -> str:
    """The HTML part; anything else beside the text is more than the ledger keeps."""
    if message.attachments:
        raise UnableToQueueMail("Mails with attachments cannot be queued.")
    html = str(message.body) if message.content_subtype == "html" else ""
    alternatives = message.alternatives if isinstance(message, EmailMultiAlternatives) else []
    for content, mimetype in alternatives:
        if mimetype != "text/html":
            raise UnableToQueueMail(f"Mails with a part of type {mimetype} cannot be queued.")
        html = str(content)
    return html


def _headers_of(message: EmailMessage) -> dict[str, str]:
    headers = {name: str(value) for name, value in message.extra_headers.items()}
    if message.reply_to:
        headers.setdefault("Reply-To", ", ".join(message.reply_to))
    return headers
