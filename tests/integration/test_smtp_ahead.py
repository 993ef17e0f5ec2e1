"""SMTP: what is done ahead while a server is waited for; nobody gets another's mail by it."""

from collections.abc import Iterator
from email import message_from_bytes, policy
from typing import ClassVar

import pytest
from pytest_django import Settings

from notifications.messages import Message
from notifications.providers.base import (
    Accepted,
    Outcome,
    Permanent,
    Retryable,
    Unavailable,
    Uncertain,
)
from notifications.providers.smtp import SMTPProvider
from tests.providers.smtp_server import HANG_UP, SMTPServer, server_of


def message(to: str, *, text: str = "Hello", subject: str = "Subject") -> Message:
    return Message(to=to, subject=subject, text=text, html=f"<p>{text}</p>")


class Counted(Message):
    """Knows how often it was written out."""

    times_written: ClassVar[list[int]] = []

    def filled_in(self) -> Message:
        self.times_written.append(1)
        return super().filled_in()


@pytest.fixture(params=[False, True], ids=["step by step", "pipelining"])
def server(settings: Settings, request: pytest.FixtureRequest) -> Iterator[SMTPServer]:
    with server_of(settings) as state:
        state.offers_pipelining = request.param
        yield state


def recipients_of(server: SMTPServer) -> list[str]:
    return [address for _from, addresses, _content in server.mails for address in addresses]


def text_of(server: SMTPServer, number: int) -> str:
    parsed = message_from_bytes(server.mails[number][2], policy=policy.default)
    body = parsed.get_body(("plain",))
    assert body is not None
    return str(body.get_content()).strip()


@pytest.fixture
def ready(server: SMTPServer) -> Iterator[SMTPProvider]:
    """A provider with an open line, which has sent one mail."""
    with SMTPProvider() as provider:
        assert isinstance(provider.send(1, message("first@example.com")), Accepted)
        yield provider


def test_a_mail_made_ready_leaves_only_when_it_is_sent(
    server: SMTPServer, ready: SMTPProvider
) -> None:
    second = message("second@example.com", text="Second")
    ready.get_ready(2, second)
    assert recipients_of(server) == ["first@example.com"]
    assert isinstance(ready.send(2, second), Accepted)
    assert recipients_of(server) == ["first@example.com", "second@example.com"]
    assert (text_of(server, 1), server.sessions) == ("Second", 1)


def test_a_mail_made_ready_and_not_sent_is_nobodys(server: SMTPServer, ready: SMTPProvider) -> None:
    third, fourth = message("c@example.com", text="C"), message("d@example.com", text="D")
    ready.get_ready(2, message("b@example.com", text="B"))
    assert isinstance(ready.send(3, third), Accepted)
    ready.get_ready(5, message("e@example.com", text="E"))
    ready.get_ready(4, fourth)
    assert isinstance(ready.send(4, fourth), Accepted)
    ready.get_ready(6, message("f@example.com", text="F"))
    ready.__exit__(None, None, None)
    assert recipients_of(server) == ["first@example.com", "c@example.com", "d@example.com"]
    assert [text_of(server, 1), text_of(server, 2)] == ["C", "D"]


@pytest.mark.parametrize(
    ("command", "answer", "outcome"),
    [
        ("MAIL", "451 Later", Retryable),
        ("RCPT", "550 No such user", Permanent),
        ("RCPT", "421 Closing", Unavailable),
        ("TEXT", "554 Looks like spam", Permanent),
        ("TEXT", HANG_UP, Uncertain),
        ("MAIL", HANG_UP, Accepted),
    ],
)
def test_a_mail_made_ready_is_answered_as_any_other(
    server: SMTPServer, ready: SMTPProvider, command: str, answer: str, outcome: type[Outcome]
) -> None:
    second, third = message("b@example.com", text="B"), message("c@example.com", text="C")
    server.refusals[command] = [answer]
    ready.get_ready(2, second)
    assert type(ready.send(2, second)) is outcome
    ready.get_ready(3, third)
    assert isinstance(ready.send(3, third), Accepted)
    assert recipients_of(server)[-1] == "c@example.com"
    assert text_of(server, -1) == "C"


def test_a_mail_that_cannot_be_written_gives_its_place_to_no_other(
    server: SMTPServer, ready: SMTPProvider
) -> None:
    bad, good = message("b@example.com", subject="\ud800"), message("c@example.com", text="C")
    ready.get_ready(2, bad)
    with pytest.raises(UnicodeError):
        ready.send(2, bad)
    ready.get_ready(3, good)
    assert isinstance(ready.send(3, good), Accepted)
    assert recipients_of(server) == ["first@example.com", "c@example.com"]
    assert text_of(server, 1) == "C"


def test_an_expected_mail_is_written_while_the_server_takes_another_and_leaves_only_when_sent(
    server: SMTPServer, ready: SMTPProvider
) -> None:
    Counted.times_written.clear()
    second, third = message("b@example.com", text="B"), Counted("c@example.com", "S", "C")
    ready.expect(3, third)
    assert isinstance(ready.send(2, second), Accepted)
    assert recipients_of(server) == ["first@example.com", "b@example.com"]
    assert third.times_written == [1]
    ready.get_ready(3, third)
    assert isinstance(ready.send(3, third), Accepted)
    assert recipients_of(server)[2:] == ["c@example.com"]
    assert [text_of(server, 1), text_of(server, 2)] == ["B", "C"]
    assert third.times_written == [1]


def test_an_expected_mail_that_was_composed_anew_is_sent_as_it_is_now(
    server: SMTPServer, ready: SMTPProvider
) -> None:
    ready.expect(3, message("c@example.com", text="Old"))
    assert isinstance(ready.send(2, message("b@example.com", text="B")), Accepted)
    assert isinstance(ready.send(3, message("c@example.com", text="New")), Accepted)
    assert [text_of(server, 1), text_of(server, 2)] == ["B", "New"]


def test_an_expected_mail_that_does_not_come_is_nobodys(
    server: SMTPServer, ready: SMTPProvider
) -> None:
    ready.expect(3, message("c@example.com", text="C"))
    assert isinstance(ready.send(2, message("b@example.com", text="B")), Accepted)
    assert isinstance(ready.send(4, message("d@example.com", text="D")), Accepted)
    ready.__exit__(None, None, None)
    assert recipients_of(server) == ["first@example.com", "b@example.com", "d@example.com"]
    assert [text_of(server, 1), text_of(server, 2)] == ["B", "D"]


def test_an_expected_mail_that_cannot_be_written_is_no_fault_of_the_one_before(
    server: SMTPServer, ready: SMTPProvider
) -> None:
    bad = message("c@example.com", subject="\ud800")
    ready.expect(3, bad)
    assert isinstance(ready.send(2, message("b@example.com", text="B")), Accepted)
    with pytest.raises(UnicodeError):
        ready.send(3, bad)
    assert recipients_of(server) == ["first@example.com", "b@example.com"]


def test_an_expected_mail_survives_the_line_that_died_before_it(
    server: SMTPServer, ready: SMTPProvider
) -> None:
    third = message("c@example.com", text="C")
    server.refusals["TEXT"] = [HANG_UP]
    ready.expect(3, third)
    assert isinstance(ready.send(2, message("b@example.com", text="B")), Uncertain)
    assert isinstance(ready.send(3, third), Accepted)
    assert (recipients_of(server)[-1], text_of(server, -1)) == ("c@example.com", "C")
