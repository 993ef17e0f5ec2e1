"""SMTP: what reaches the mail server, and what each of its answers means."""

import smtplib
import socket
import ssl
from collections.abc import Iterator
from dataclasses import replace
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import AuthResult, Session
from pytest_django import Settings

from notifications.messages import Message
from notifications.providers import get_provider
from notifications.providers.base import (
    Accepted,
    Outcome,
    Permanent,
    Retryable,
    Unavailable,
    Uncertain,
)
from notifications.providers.smtp import SMTPProvider
from notifications.providers.smtp_line import quoted
from tests.providers.certificates import own_certificate
from tests.providers.smtp_server import HANG_UP, SILENCE, SMTPServer, running_server, server_of

SHORT = 1
"""Seconds after which silence is silence; a busy machine answers sooner."""
PLAIN = Message(
    to="ana@example.com",
    subject="Drei Bäckereien",
    text="Grüße\n.\nEnde",
    html="<p>Grüße</p>",
)


def message(to: str = "ana@example.com", **fields: Any) -> Message:
    return replace(PLAIN, to=to, **fields)


@pytest.fixture(params=[False, True], ids=["step by step", "pipelining"])
def server(settings: Settings, request: pytest.FixtureRequest) -> Iterator[SMTPServer]:
    with server_of(settings) as state:
        state.offers_pipelining = request.param
        yield state


def send(*messages: Message) -> list[Outcome]:
    with get_provider() as provider:
        return [provider.send(number, each) for number, each in enumerate(messages, start=1)]


def test_a_mail_arrives_whole(server: SMTPServer) -> None:
    mail = message(to_name='Ana "the buyer" Horvat')
    assert send(mail) == [Accepted(message_id="OK queued as 7")]
    [(sender, recipients, content)] = server.mails
    parsed = message_from_bytes(content, policy=policy.default)
    assert (sender, recipients) == ("post@marktlotse.example", ["ana@example.com"])
    assert parsed["Subject"] == "Drei Bäckereien"
    assert parsed["To"].addresses[0].display_name == 'Ana "the buyer" Horvat'
    assert parsed["From"] == "Marktlotse <post@marktlotse.example>"
    assert parsed["Message-ID"] == "<delivery-1@testserver>"
    text, html = parsed.get_body(("plain",)), parsed.get_body(("html",))
    assert text is not None
    assert html is not None
    assert text.get_content().splitlines() == ["Grüße", ".", "Ende"]
    assert html.get_content() == "<p>Grüße</p>"
    assert max(len(line) for line in content.splitlines()) < 998


def test_a_batch_shares_one_connection(server: SMTPServer) -> None:
    outcomes = send(*(message(f"person{n}@example.com") for n in range(20)))
    assert {type(outcome) for outcome in outcomes} == {Accepted}
    assert [recipients for _from, recipients, _content in server.mails] == [
        [f"person{n}@example.com"] for n in range(20)
    ]
    assert server.sessions == 1


def test_a_server_that_takes_8bit_gets_it_once_it_has_said_so(server: SMTPServer) -> None:
    too_long = message(text="kurz", html="ä" * 600)
    assert {type(outcome) for outcome in send(message(), message(), too_long)} == {Accepted}
    parsed = [message_from_bytes(mail[2], policy=policy.default) for mail in server.mails]
    encodings = [
        [str(part["Content-Transfer-Encoding"]) for part in mail.iter_parts()] for mail in parsed
    ]
    assert encodings == [
        ["quoted-printable", "quoted-printable"],
        ["8bit", "8bit"],
        ["8bit", "quoted-printable"],
    ]
    texts = [part.get_content() for mail in parsed for part in mail.iter_parts()]
    assert texts[:2] == texts[2:4]
    assert texts[5].strip() == "ä" * 600


@pytest.mark.parametrize(
    ("command", "answer", "outcome"),
    [
        ("MAIL", "421 Closing", Unavailable),
        ("MAIL", "451 Later", Retryable),
        ("MAIL", "530 Sign in first", Unavailable),
        ("MAIL", "550 Sender refused", Unavailable),
        ("MAIL", "552 Too big", Permanent),
        ("RCPT", "421 Closing", Unavailable),
        ("RCPT", "450 Mailbox busy", Retryable),
        ("RCPT", "452 Full", Retryable),
        ("RCPT", "550 No such user", Permanent),
        ("RCPT", "553 Bad name", Permanent),
        ("TEXT", "451 Try later", Retryable),
        ("TEXT", "554 Looks like spam", Permanent),
        ("TEXT", HANG_UP, Uncertain),
        ("TEXT", SILENCE, Uncertain),
        ("RCPT", SILENCE, Unavailable),
        ("MAIL", HANG_UP, Unavailable),
    ],
)
def test_each_answer_has_its_meaning(
    server: SMTPServer, settings: Settings, command: str, answer: str, outcome: type[Outcome]
) -> None:
    if answer == SILENCE:
        settings.EMAIL_TIMEOUT = SHORT
    server.refusals[command] = [answer]
    [given] = send(message())
    assert type(given) is outcome
    if isinstance(given, Unavailable):
        assert given.is_auth == (answer in ("530 Sign in first", "550 Sender refused"))
    if answer not in (HANG_UP, SILENCE):
        assert given.answer == answer  # type: ignore[union-attr]
    assert server.mails == []


def test_a_refused_sender_of_one_message_stops_no_other(server: SMTPServer) -> None:
    server.refusals["MAIL"] = ["550 Sender refused"]
    bad, good = send(message(from_address="other@example.com"), message())
    assert (type(bad), type(good)) == (Permanent, Accepted)
    assert server.sessions == 1


@pytest.mark.parametrize(("code", "is_auth"), [(535, True), (454, False)])
def test_a_refused_sign_in_is_for_an_operator_unless_it_is_for_now(
    settings: Settings, code: int, is_auth: bool
) -> None:
    refusal = AuthResult(success=False, handled=False, message=f"{code} No")
    options = {"authenticator": lambda *_: refusal, "auth_require_tls": False}
    with running_server(**options) as server:
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        settings.EMAIL_PROVIDER, settings.EMAIL_HOST_USER = "smtp", "marktlotse"
        settings.EMAIL_HOST_PASSWORD = "secret"
        [answer] = send(message())
    assert answer == Unavailable(f"{code} No", is_auth=is_auth)


@pytest.mark.parametrize("uses_ssl", [False, True])
def test_with_tls_the_mail_and_the_password_travel_encrypted(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, uses_ssl: bool
) -> None:
    certificate = own_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    options = {"ssl_context": context} if uses_ssl else {"tls_context": context}
    seen: list[bool] = []

    def authenticate(server: Any, session: Session, *_: Any) -> AuthResult:
        seen.append(uses_ssl or session.ssl is not None)
        return AuthResult(success=True)

    with running_server(
        authenticator=authenticate, auth_require_tls=not uses_ssl, **options
    ) as server:
        settings.EMAIL_HOST, settings.EMAIL_PORT = "localhost", server.port
        settings.EMAIL_PROVIDER, settings.EMAIL_HOST_USER = "smtp", "marktlotse"
        settings.EMAIL_USE_SSL, settings.EMAIL_USE_TLS = uses_ssl, not uses_ssl
        outcomes = send(message(), message())
    assert [type(outcome) for outcome in outcomes] == [Accepted, Accepted]
    assert (len(server.mails), seen) == (2, [True])


def test_an_unknown_certificate_gets_nothing(settings: Settings, tmp_path: Path) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(own_certificate(tmp_path))
    with running_server(tls_context=context) as server:
        settings.EMAIL_HOST, settings.EMAIL_PORT = "localhost", server.port
        settings.EMAIL_PROVIDER, settings.EMAIL_USE_TLS = "smtp", True
        [outcome] = send(message())
    assert isinstance(outcome, Unavailable)
    assert server.mails == []


def test_silence_after_the_text_is_told_from_a_cut_line(
    server: SMTPServer, settings: Settings
) -> None:
    settings.EMAIL_TIMEOUT = SHORT
    server.refusals["TEXT"] = [SILENCE, HANG_UP]
    first, second = send(message(), message())
    assert isinstance(first, Uncertain)
    assert isinstance(second, Uncertain)
    assert (first.is_timeout, second.is_timeout) == (True, False)


def test_one_refused_recipient_does_not_spoil_the_line(server: SMTPServer) -> None:
    server.refusals["RCPT"] = ["550 No such user"]
    bad, good = send(message("nobody@example.com"), message())
    assert (type(bad), type(good)) == (Permanent, Accepted)
    assert [recipients for _from, recipients, _content in server.mails] == [["ana@example.com"]]
    assert server.sessions == 1


def test_a_refusal_that_ends_the_line_is_that_recipients_alone(server: SMTPServer) -> None:
    server.refusals["RCPT"] = ["550 No such user"]
    server.hangs_up_after_refusal = True
    bad, good = send(message("nobody@example.com"), message())
    assert (type(bad), type(good)) == (Permanent, Accepted)
    assert len(server.mails) == 1


def test_nothing_is_sent_where_a_server_asks_for_the_text_after_a_refusal(
    server: SMTPServer,
) -> None:
    server.refusals["RCPT"] = ["550 No such user"]
    server.awaits_text_after_refusal = server.offers_pipelining
    bad, good = send(message("nobody@example.com"), message())
    assert (type(bad), type(good)) == (Permanent, Accepted)
    assert [recipients for _from, recipients, _content in server.mails] == [["ana@example.com"]]


def test_a_line_that_died_between_two_mails_is_opened_anew(server: SMTPServer) -> None:
    provider = SMTPProvider()
    with provider:
        provider.send(1, message())
        server.refusals["MAIL"] = [HANG_UP]
        assert isinstance(provider.send(2, message()), Accepted)
    assert len(server.mails) == 2
    assert server.sessions == 2


def test_no_server_at_all_is_nobodys_fault(settings: Settings) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", closed.getsockname()[1]
        settings.EMAIL_PROVIDER = "smtp"
        [outcome] = send(message())
    assert isinstance(outcome, Unavailable)


def test_line_breaks_in_names_and_subjects_smuggle_in_no_header(server: SMTPServer) -> None:
    send(
        message(
            subject="Hello\r\nBcc: victim@example.com\r\n\r\nNew body",
            to_name="Ana\nX-Evil: 1",
            from_address="Post\r\nX-Evil: 2 <post@marktlotse.example>",
        )
    )
    [(_sender, recipients, content)] = server.mails
    parsed = message_from_bytes(content, policy=policy.default)
    assert recipients == ["ana@example.com"]
    assert parsed["Bcc"] is None
    assert parsed["X-Evil"] is None
    assert parsed["Subject"] == "Hello Bcc: victim@example.com New body"


def test_a_domain_with_umlauts_is_written_as_mail_servers_know_it(server: SMTPServer) -> None:
    assert isinstance(send(message("ana@müller.example"))[0], Accepted)
    assert server.mails[0][1] == ["ana@xn--mller-kva.example"]


@pytest.mark.parametrize(("is_known", "outcome"), [(True, Accepted), (False, Permanent)])
def test_an_address_with_umlauts_goes_only_to_a_server_that_knows_them(
    settings: Settings, is_known: bool, outcome: type[Outcome]
) -> None:
    with running_server(enable_SMTPUTF8=is_known) as server:
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        settings.EMAIL_PROVIDER = "smtp"
        [answer] = send(message("jörg@example.com"))
    assert type(answer) is outcome
    assert [mail[1] for mail in server.mails] == [["jörg@example.com"]] * is_known


@pytest.mark.parametrize(
    "address",
    [
        *["ana@example.com", "ana.b+c_d-e@a-b.example", '"quoted name"@example.com', "a>b@c.test"],
        *["ana@[127.0.0.1]", "o'neil@x.test", "a b@example.com", "jörg@example.com", "@", ""],
        "ana@example.com\r\nRCPT TO:<eve@example.com>",
    ],
)
def test_addresses_are_quoted_as_the_standard_library_quotes_them(address: str) -> None:
    assert quoted(address) == smtplib.quoteaddr(address)
