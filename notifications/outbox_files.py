"""Reading the developers' outbox: the files that the outbox provider has written."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from pathlib import Path

from django.conf import settings

from notifications.providers.outbox import path_of

MAIL_NAME = re.compile(r"(\d+)\.eml")
# Heads are read and taken apart at some thousands a second; nobody waits for all of a big outbox.
MOST_SEARCHED = 2000
# Enough for any head that we write.
HEAD_BYTES = 16_384


@dataclass(frozen=True, slots=True)
class MailHead:
    """A line of the list; `delivery_id` is the mail's name."""

    delivery_id: int
    subject: str
    to: str
    sent_at: datetime


@dataclass(frozen=True, slots=True)
class StoredMail:
    """A whole mail, its parts decoded."""

    head: MailHead
    headers: list[tuple[str, str]]
    text: str
    html: str


@dataclass(frozen=True, slots=True)
class MailPage:
    """Some mails, newest first; older ones come before the delivery `older_than`, if there are any.

    `is_cut_short`: the search went no further than there, so that older mails may match as well.
    """

    mails: list[MailHead]
    older_than: int | None = None
    is_cut_short: bool = False


def newest(*, before: int | None, recipient: str, limit: int) -> MailPage:
    """Up to `limit` mails older than the delivery `before`, out of at most `MOST_SEARCHED`.

    `recipient` is part of a name or address, in any letter case; '' finds all.
    """
    wanted, mails, last = recipient.casefold(), list[MailHead](), before
    for searched, path in enumerate(_paths(before)):
        if searched == MOST_SEARCHED:
            return MailPage(mails, last, is_cut_short=True)
        head, last = _head(path), int(path.stem)
        if head is None or wanted not in head.to.casefold():
            continue
        if len(mails) == limit:
            return MailPage(mails, mails[-1].delivery_id)
        mails.append(head)
    return MailPage(mails)


def read(delivery_id: int) -> StoredMail | None:
    """One mail; None where there is none."""
    path = path_of(delivery_id)
    try:
        mail = _parsed(path.read_bytes())
    except FileNotFoundError:
        return None
    return StoredMail(
        head=_head_of(delivery_id, mail),
        headers=[(name, str(value)) for name, value in mail.items()],
        text=_body(mail, "plain"),
        html=_body(mail, "html"),
    )


def _paths(before: int | None) -> Iterator[Path]:
    """The mails' files from the newest delivery on, one folder at a time."""
    for folder in _descending(Path(settings.OUTBOX_DIR)):
        for path in _descending(folder):
            name = MAIL_NAME.fullmatch(path.name)
            if name and (before is None or int(name[1]) < before):
                yield path


def _descending(folder: Path) -> list[Path]:
    """Names are numbers of equal length, so their order is the order of the deliveries."""
    try:
        return [folder / name for name in sorted(os.listdir(folder), reverse=True)]
    except (FileNotFoundError, NotADirectoryError):
        return []


def _head(path: Path) -> MailHead | None:
    try:
        with path.open("rb") as file:
            head, _gap, _rest = file.read(HEAD_BYTES).partition(b"\r\n\r\n")
    except FileNotFoundError:  # somebody empties the folder
        return None
    return _head_of(int(path.stem), _parsed(head + b"\r\n\r\n"))


def _head_of(delivery_id: int, mail: EmailMessage) -> MailHead:
    return MailHead(
        delivery_id=delivery_id,
        subject=str(mail["Subject"] or ""),
        to=str(mail["To"] or ""),
        sent_at=parsedate_to_datetime(str(mail["Date"])),
    )


def _parsed(data: bytes) -> EmailMessage:
    return message_from_bytes(data, policy=policy.default)


def _body(mail: EmailMessage, subtype: str) -> str:
    for part in mail.walk():
        if part.get_content_type() == f"text/{subtype}":
            return str(part.get_content())
    return ""
