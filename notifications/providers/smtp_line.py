"""One line to a mail server: opened, signed in, and told whom the next mail is from and for."""

from __future__ import annotations

import re
import smtplib
import ssl

from django.conf import settings

from notifications.messages import Message
from notifications.providers.mime import ascii_domain, sender_of

PLAIN_ADDRESS = re.compile(r"[\w.+-]+@[\w.-]+", re.ASCII)
# Codes that say yes, where it is not 250.
WANTED = {"RCPT": (250, 251), "DATA": (354,)}
# What comes before the text, each with the name that `OUTCOMES` knows it by.
Commands = list[tuple[str, str]]


class Refused(Exception):
    """The server answered a command (TEXT is the mail itself) with anything but yes."""

    def __init__(self, command: str, code: int, answer: bytes) -> None:
        super().__init__(f"{code} {answer.decode('utf-8', 'replace')}")
        self.command_and_code = f"{command} {code}"


def connect(seconds: float | None = None) -> smtplib.SMTP:
    """A line that is greeted, encrypted and signed in as the settings say.

    Every wait ends after `seconds`, or else after `EMAIL_TIMEOUT`.
    """
    wait = seconds or settings.EMAIL_TIMEOUT
    where = (settings.EMAIL_HOST, settings.EMAIL_PORT)
    line: smtplib.SMTP
    if settings.EMAIL_USE_SSL:
        context = ssl.create_default_context()
        line = smtplib.SMTP_SSL(*where, timeout=wait, context=context)
    else:
        line = smtplib.SMTP(*where, timeout=wait)
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


def announce(line: smtplib.SMTP, message: Message, written: Commands | None = None) -> smtplib.SMTP:
    """Sender, recipient, DATA; Refused when the server minds one of them.

    A server that knows PIPELINING gets all three at once and is waited for once, not three times;
    `written` are those it has got already.
    """
    at_once = line.has_extn("pipelining")
    commands = written or commands_for(line, message)
    if at_once and written is None:
        write(line, commands)
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


def write(line: smtplib.SMTP, commands: Commands) -> None:
    """All commands at once."""
    line.send("".join(f"{text}\r\n" for _name, text in commands).encode())


def commands_for(line: smtplib.SMTP, message: Message) -> Commands:
    """Sender, recipient, DATA."""
    _name, sender = sender_of(message)
    options = " ".join(["", *_options(line, sender, message.to)])
    return [
        (
            "OTHER_MAIL" if message.from_address else "MAIL",
            f"MAIL FROM:{quoted(ascii_domain(sender))}{options}",
        ),
        ("RCPT", f"RCPT TO:{quoted(ascii_domain(message.to))}"),
        ("DATA", "DATA"),
    ]


def quoted(address: str) -> str:
    """The address in angle brackets. Most are plain; reading the others takes long."""
    return f"<{address}>" if PLAIN_ADDRESS.fullmatch(address) else smtplib.quoteaddr(address)


def _options(line: smtplib.SMTP, *addresses: str) -> list[str]:
    options = ["BODY=8BITMIME"] if line.has_extn("8bitmime") else []
    if all(ascii_domain(address).isascii() for address in addresses):
        return options
    if not line.has_extn("smtputf8"):
        raise Refused("RCPT", 553, b"The mail server does not know addresses with such letters.")
    return [*options, "SMTPUTF8"]
