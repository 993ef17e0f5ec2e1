"""Mail by SMTP: one connection a batch, and one table that says what each refusal means."""

from __future__ import annotations

import logging
import re
import smtplib
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import NamedTuple

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
from notifications.providers.mime import as_bytes
from notifications.providers.smtp_line import (
    Commands,
    Refused,
    announce,
    commands_for,
    connect,
    write,
)

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


class _Mail(NamedTuple):
    """A message and, once it is written, its bytes; `commands` were told to the server already."""

    delivery_id: int
    message: Message
    text: bytes = b""
    commands: Commands | None = None

    def is_of(self, delivery_id: int, message: Message) -> bool:
        """Whether it is this very mail."""
        return self.delivery_id == delivery_id and self.message is message


class SMTPProvider(Provider):
    """Speaks to `EMAIL_HOST`; every wait ends after `EMAIL_TIMEOUT` seconds."""

    name = "smtp"

    def __init__(self) -> None:
        self._line: smtplib.SMTP | None = None
        # Not before a server says so: the first mail of a batch goes as every server takes it.
        self._takes_8bit = False
        # Its sender and recipient were told to the server, which was not heard about them yet.
        self._announced: _Mail | None = None
        self._expected: _Mail | None = None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._hang_up()

    def get_ready(self, delivery_id: int, message: Message) -> None:
        """Where the server knows PIPELINING: name sender and recipient, and await no answer yet.

        The mail itself is written out while the server answers.
        """
        if self._line is None or not self._line.has_extn("pipelining"):
            return
        self._forget_announced()
        try:
            commands = commands_for(self._line, message)
            write(self._line, commands)
            mail = self._written(delivery_id, message)
        except Exception:
            # The server may await a text. `send` tries a fresh line, and tells what it meets.
            self._hang_up_at_once()
            return
        self._announced = _Mail(delivery_id, message, mail, commands)

    def expect(self, delivery_id: int, message: Message) -> None:
        self._expected = _Mail(delivery_id, message)

    def send(self, delivery_id: int, message: Message) -> Outcome:
        announced = self._announced
        if announced is None or not announced.is_of(delivery_id, message):
            self._forget_announced()
            mail = self._written(delivery_id, message)
        else:
            mail = announced.text
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
            announced, self._announced = self._announced, None
            try:
                return announce(self._line, message, announced and announced.commands)
            except OSError:
                self._hang_up()
        self._line = connect()
        self._takes_8bit = self._line.has_extn("8bitmime")
        return announce(self._line, message)

    def _written(self, delivery_id: int, message: Message) -> bytes:
        expected = self._expected
        if expected is not None and expected.text and expected.is_of(delivery_id, message):
            return expected.text
        filled = message.filled_in()
        return as_bytes(delivery_id, filled, now=timezone.now(), is_readable=self._takes_8bit)

    def _write_expected(self) -> None:
        """The server is busy; what is written now need not be written later."""
        expected, self._expected = self._expected, None
        if expected is None or expected.text:
            return  # nothing comes next, or it is just being sent
        try:
            text = self._written(expected.delivery_id, expected.message)
        except Exception:
            return  # `send` meets it again, and tells
        self._expected = expected._replace(text=text)

    def _forget_announced(self) -> None:
        """The server awaits a text that does not come: only a cut line tells it so."""
        if self._announced is not None:
            self._hang_up_at_once()

    def _hand_over(self, line: smtplib.SMTP, mail: bytes) -> Outcome:
        try:
            # A dot that begins a line is doubled; a mail itself begins with a header.
            line.send(mail.replace(b"\n.", b"\n..") + b".\r\n")
            self._write_expected()
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
        self._forget_announced()
        line, self._line = self._line, None
        if line is None:
            return
        try:
            line.quit()
        except OSError:
            line.close()

    def _hang_up_at_once(self) -> None:
        line, self._line, self._announced = self._line, None, None
        if line is not None:
            line.close()
