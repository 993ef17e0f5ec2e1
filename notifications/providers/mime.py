"""A message as the bytes of a mail. Written out by hand: the standard library's builder takes
five times as long, and thousands of mails leave at a time."""

from __future__ import annotations

import binascii
import re
import uuid
from collections.abc import Iterator
from datetime import datetime
from email.header import Header
from email.utils import format_datetime, formataddr, parseaddr
from functools import lru_cache
from urllib.parse import urlsplit

from django.conf import settings

from notifications.messages import Message

HEADER_NAME = re.compile(r"[!-9;-~]+")
# Set by us alone, whatever the message brings along.
OWN_HEADERS = frozenset(
    [
        *["from", "to", "cc", "bcc", "sender", "return-path", "subject", "date", "message-id"],
        *["mime-version", "content-type", "content-transfer-encoding"],
    ]
)
LONGEST_PLAIN_HEADER = 900
# In bytes: what fits into one encoded word of 75 characters.
LONGEST_ENCODED_WORD = 45
LONGEST_LINE = 998


def as_bytes(delivery_id: int, message: Message, *, now: datetime, is_readable: bool) -> bytes:
    """The whole mail with CRLF line ends.

    `is_readable` leaves the text as UTF-8 (8bit), for people to look at and for servers that
    say they take it; otherwise, and for a part with too long lines, it is quoted-printable, which
    every mail server takes.
    """
    boundary = uuid.uuid4().hex
    lines = [f"{name}: {value}" for name, value in _headers(delivery_id, message, now)]
    lines += ["MIME-Version: 1.0", f'Content-Type: multipart/alternative; boundary="{boundary}"']
    head = "\r\n".join(lines).encode("ascii")
    parts = [_part("plain", message.text, is_readable)]
    if message.html:
        parts.append(_part("html", message.html, is_readable))
    separator = f"\r\n--{boundary}".encode()
    return head + b"\r\n" + b"".join(separator + part for part in parts) + separator + b"--\r\n"


def sender_of(message: Message) -> tuple[str, str]:
    """Name and address of the sender."""
    return _parsed(message.from_address or settings.DEFAULT_FROM_EMAIL)


@lru_cache
def _parsed(sender: str) -> tuple[str, str]:
    """Reading an address takes longer than the rest of a header."""
    return parseaddr(sender)


def extra_headers(message: Message) -> Iterator[tuple[str, str]]:
    """The message's own headers, without those that are not its business."""
    for name, value in message.headers.items():
        if HEADER_NAME.fullmatch(name) and name.lower() not in OWN_HEADERS:
            yield name, value


def ascii_domain(address: str) -> str:
    """The address with its domain in the form the mail system knows (`xn--…`)."""
    local, at, domain = address.rpartition("@")
    try:
        return f"{local}{at}{_in_ascii(domain)}"
    except UnicodeError:
        return address


@lru_cache(maxsize=10_000)
def _in_ascii(domain: str) -> str:
    return domain.encode("idna").decode("ascii")


def encoded(name: str, value: str, *, is_folded: bool = True) -> str:
    """A header's value as mail systems take it: in ASCII; folded into lines where it is long."""
    if value.isascii() and (len(value) <= LONGEST_PLAIN_HEADER or not is_folded):
        return value
    data = value.encode("utf-8")
    if len(data) <= LONGEST_ENCODED_WORD:
        return f"=?utf-8?b?{binascii.b2a_base64(data, newline=False).decode()}?="
    if not is_folded:
        return Header(value, "utf-8").encode(linesep="", maxlinelen=0)
    return Header(value, "utf-8", header_name=name).encode(linesep="\r\n")


def _headers(delivery_id: int, message: Message, now: datetime) -> Iterator[tuple[str, str]]:
    name, address = sender_of(message)
    host = urlsplit(settings.SITE_URL).hostname or "localhost"
    yield "From", _mailbox(name, address)
    yield "To", _mailbox(message.to_name, message.to)
    yield "Subject", encoded("Subject", message.subject)
    yield "Date", format_datetime(now)
    # The same at every attempt: whatever comes twice is recognised as one mail.
    yield "Message-ID", f"<delivery-{delivery_id}@{host}>"
    for header, value in extra_headers(message):
        yield header, encoded(header, value)


def _mailbox(name: str, address: str) -> str:
    plain = ascii_domain(address)
    if plain.isascii():
        return formataddr((name, plain))
    return encoded("To", f"{name} <{plain}>")


def _part(subtype: str, body: str, is_readable: bool) -> bytes:
    data = body.encode("utf-8", "replace")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    data = data.replace(b"\n", b"\r\n")
    is_readable = is_readable and max(map(len, data.split(b"\n"))) <= LONGEST_LINE
    encoding = "8bit" if is_readable else "quoted-printable"
    if not is_readable:
        # It breaks lines as it finds them broken; a single line has to say it, too.
        data = binascii.b2a_qp(data + b"\r\n", istext=True).removesuffix(b"\r\n")
    head = (
        f'\r\nContent-Type: text/{subtype}; charset="utf-8"\r\n'
        f"Content-Transfer-Encoding: {encoding}\r\n\r\n"
    )
    return head.encode("ascii") + data
