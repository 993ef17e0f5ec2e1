"""Mail by SMTP: one connection a batch, and one table that says what each refusal means."""

from __future__ import annotations

import logging
import re
import smtplib
import ssl
from collections.abc import Callable
from functools import partial
from types import TracebackType

from django.conf import settings
from django.utils import timezone

from notifications.messages import Message
from notifications.providers.base import (
    Accepted,
    Outcome,
    Permanent,
    Provider,
    Retryable,
    Unavailable,
    Uncertain,
)
from notifications.providers.mime import as_bytes, ascii_domain, sender_of

logger = logging.getLogger(__name__)

refuses_us = partial(Unavailable, is_auth=True)

# Command and code; the first matching row counts. 421 closes the line, and 53x refuses our
# account. MAIL names the sender of all our mails: refused (unless this mail is too big, 552), it
# is no message's fault; OTHER_MAIL names a sender that only this message has.
OUTCOMES: tuple[tuple[str, Callable[[str], Outcome]], ...] = (
    (r"\w+ 421", Unavailable),
    (r"AUTH 5..", refuses_us),
    (r"AUTH .*", Unavailable),
    (r"\w+ 53.", refuses_us),
    (r"MAIL 5(?!52)..", refuses_us),
    (r"\w+ 4..", Retryable),
    (r"\w+ 5..", Permanent),
    (r"TEXT .*", Uncertain),
    (r".*", Retryable),
)
# Codes that say yes, where it is not 250.
WANTED = {"RCPT": (250, 251), "DATA": (354,)}


class Refused(Exception):
    """The server answered a command (TEXT is the mail itself) with anything but yes."""

    def __init__(self, command: str, code: int, answer: bytes) -> None:
        super().__init__(f"{code} {answer.decode('utf-8', 'replace')}")
        self.command_and_code = f"{command} {code}"


class SMTPProvider(Provider):
    """Speaks to `EMAIL_HOST`; every wait ends after `EMAIL_TIMEOUT` seconds."""

    name = "smtp"

    def __init__(self) -> None:
        self._line: smtplib.SMTP | None = None
        # Not before a server says so: the first mail of a batch goes as every server takes it.
        self._takes_8bit = False

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._hang_up()

    def send(self, delivery_id: int, message: Message) -> Outcome:
        filled = message.filled_in()
        mail = as_bytes(delivery_id, filled, now=timezone.now(), is_readable=self._takes_8bit)
        try:
            line = self._ready_line(message)
        except Refused as refusal:
            return self._refused(refusal)
        except OSError as error:  # smtplib's errors are OSErrors too
            self._hang_up()
            logger.error("UnableToConnect: no mail server (%s)", type(error).__name__)
            return Unavailable(f"{type(error).__name__}: {error}")
        return self._hand_over(line, mail)

    def _ready_line(self, message: Message) -> smtplib.SMTP:
        """A line on which the server awaits the text of this message.

        A line kept from the last message may be dead; nothing has left, so a fresh one is tried.
        """
        if self._line is not None:
            try:
                return _announce(self._line, message)
            except OSError:
                self._hang_up()
        self._line = _connect()
        self._takes_8bit = self._line.has_extn("8bitmime")
        return _announce(self._line, message)

    def _hand_over(self, line: smtplib.SMTP, mail: bytes) -> Outcome:
        try:
            # A dot that begins a line is doubled; a mail itself begins with a header.
            line.send(mail.replace(b"\n.", b"\n..") + b".\r\n")
            code, answer = line.getreply()
        except OSError as error:
            self._hang_up()
            # smtplib tells a time-out only in words.
            is_timeout = "timed out" in str(error)
            return Uncertain(f"{error} (after the text had left)", is_timeout=is_timeout)
        if 200 <= code < 300:
            return Accepted(message_id=answer.decode("utf-8", "replace")[:200])
        return self._refused(Refused("TEXT", code, answer))

    def _refused(self, refusal: Refused) -> Outcome:
        make = next(
            make for pattern, make in OUTCOMES if re.fullmatch(pattern, refusal.command_and_code)
        )
        outcome = make(str(refusal))
        if isinstance(outcome, Unavailable):
            logger.error("UnableToSend: the mail server answered %s", refusal.command_and_code)
            self._hang_up()
        elif self._line is not None:
            self._reset(self._line)
        return outcome

    def _reset(self, line: smtplib.SMTP) -> None:
        try:
            line.rset()
        except OSError:
            self._hang_up()

    def _hang_up(self) -> None:
        line, self._line = self._line, None
        if line is None:
            return
        try:
            line.quit()
        except OSError:
            line.close()


def _connect() -> smtplib.SMTP:
    """A line that is greeted, encrypted and signed in as the settings say."""
    where = (settings.EMAIL_HOST, settings.EMAIL_PORT)
    line: smtplib.SMTP
    if settings.EMAIL_USE_SSL:
        context = ssl.create_default_context()
        line = smtplib.SMTP_SSL(*where, timeout=settings.EMAIL_TIMEOUT, context=context)
    else:
        line = smtplib.SMTP(*where, timeout=settings.EMAIL_TIMEOUT)
    try:
        line.ehlo_or_helo_if_needed()
        if settings.EMAIL_USE_TLS and not settings.EMAIL_USE_SSL:
            line.starttls(context=ssl.create_default_context())
            # What it said before may have come from somebody in between.
            line.ehlo_or_helo_if_needed()
        if settings.EMAIL_HOST_USER:
            _sign_in(line)
    except BaseException:
        line.close()
        raise
    return line


def _sign_in(line: smtplib.SMTP) -> None:
    try:
        line.login(settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD)
    except smtplib.SMTPAuthenticationError as error:
        answer = error.smtp_error
        words = answer if isinstance(answer, bytes) else answer.encode()
        raise Refused("AUTH", error.smtp_code, words) from None


def _announce(line: smtplib.SMTP, message: Message) -> smtplib.SMTP:
    """Sender, recipient, DATA; Refused when the server minds one of them.

    A server that knows PIPELINING gets all three at once and is waited for once, not three times.
    """
    at_once = line.has_extn("pipelining")
    commands = _commands(line, message)
    if at_once:
        line.send("".join(f"{text}\r\n" for _name, text in commands).encode())
    refusal: Refused | None = None
    for name, text in commands:
        if not at_once:
            line.send(f"{text}\r\n".encode())
        try:
            code, answer = line.getreply()
        except OSError:
            if refusal is None:
                raise
            break  # it has said no, and hung up
        if code not in WANTED.get(name, (250,)):
            refusal = refusal or Refused(name, code, answer)
            if not at_once:
                break
        elif name == "DATA" and refusal is not None:
            # It awaits a text although it refused: an empty one to nobody ends that.
            line.send(".\r\n")
            line.getreply()
    if refusal is not None:
        raise refusal
    return line


def _commands(line: smtplib.SMTP, message: Message) -> list[tuple[str, str]]:
    """What comes before the text, each with the name that `OUTCOMES` knows it by."""
    _name, sender = sender_of(message)
    options = " ".join(["", *_options(line, sender, message.to)])
    return [
        (
            "OTHER_MAIL" if message.from_address else "MAIL",
            f"MAIL FROM:{smtplib.quoteaddr(ascii_domain(sender))}{options}",
        ),
        ("RCPT", f"RCPT TO:{smtplib.quoteaddr(ascii_domain(message.to))}"),
        ("DATA", "DATA"),
    ]


def _options(line: smtplib.SMTP, *addresses: str) -> list[str]:
    options = ["BODY=8BITMIME"] if line.has_extn("8bitmime") else []
    if all(ascii_domain(address).isascii() for address in addresses):
        return options
    if not line.has_extn("smtputf8"):
        raise Refused("RCPT", 553, b"The mail server does not know addresses with such letters.")
    return [*options, "SMTPUTF8"]
