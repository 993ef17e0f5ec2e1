"""A local mail server that answers each command as a test tells it, and keeps what it took."""
# ruff: noqa: N802 - aiosmtpd finds its hooks by these names

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from pytest_django import Settings

# Do not answer at all, but close the line.
HANG_UP = "hang up"
# Do not answer within any time-out of a test.
SILENCE = "silence"


@dataclass
class SMTPServer:
    """`refusals` by command (MAIL, RCPT, TEXT); an entry is used once, in order."""

    port: int = 0
    refusals: dict[str, list[str]] = field(default_factory=dict)
    mails: list[tuple[str, list[str], bytes]] = field(default_factory=list)
    sessions: int = 0
    # Whether it says that commands may come before the last was answered.
    offers_pipelining: bool = False
    # What servers do to a recipient they refuse, beside saying so.
    hangs_up_after_refusal: bool = False
    awaits_text_after_refusal: bool = False

    async def next_refusal(self, command: str, server: SMTP) -> str | None:
        """What to answer instead of yes, if anything."""
        refusals = self.refusals.get(command, [])
        refusal = refusals.pop(0) if refusals else None
        if refusal == SILENCE:
            await asyncio.sleep(3)  # longer than any test lets its client wait
        if refusal in (HANG_UP, SILENCE):
            transport = server.transport
            assert transport is not None
            transport.close()
        return refusal


class _Handler:
    def __init__(self, state: SMTPServer) -> None:
        self.state = state

    async def handle_EHLO(
        self, server: SMTP, session: Session, envelope: Envelope, hostname: str, answers: list[str]
    ) -> list[str]:
        self.state.sessions += 1
        session.host_name = hostname
        pipelining = ["250-PIPELINING"] if self.state.offers_pipelining else []
        return [*answers[:-1], *pipelining, answers[-1]]

    async def handle_MAIL(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        envelope.mail_from = address
        return await self.state.next_refusal("MAIL", server) or "250 OK"

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        refusal = await self.state.next_refusal("RCPT", server)
        if refusal is None or self.state.awaits_text_after_refusal:
            envelope.rcpt_tos.append(address)
        if refusal is not None and self.state.hangs_up_after_refusal:
            transport = server.transport
            assert isinstance(transport, asyncio.Transport)
            transport.write(f"{refusal}\r\n".encode())
            transport.close()
        return refusal or "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        refusal = await self.state.next_refusal("TEXT", server)
        content: Any = envelope.content
        if not content:
            return "554 No valid recipients"
        if refusal is None:
            self.state.mails.append(
                (envelope.mail_from or "", list(envelope.rcpt_tos), bytes(content))
            )
        return refusal or "250 OK queued as 7"


@contextmanager
def running_server(**options: Any) -> Iterator[SMTPServer]:
    """Serve on a free port of this machine; `options` go to aiosmtpd's SMTP."""
    state = SMTPServer(port=_free_port())
    # With `ssl_context` the line is encrypted from the first byte.
    controller = Controller(_Handler(state), hostname="127.0.0.1", port=state.port, **options)
    controller.start()
    try:
        yield state
    finally:
        controller.stop()


@contextmanager
def server_of(settings: Settings) -> Iterator[SMTPServer]:
    """A running server that the settings name as the site's own."""
    with running_server() as state:
        settings.EMAIL_PROVIDER = "smtp"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", state.port
        settings.EMAIL_TIMEOUT = 20
        settings.DEFAULT_FROM_EMAIL = "Marktlotse <post@marktlotse.example>"
        yield state


def _free_port() -> int:
    """The controller connects to its own port, so it must be told one."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
