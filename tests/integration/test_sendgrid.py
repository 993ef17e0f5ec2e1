"""SendGrid: what is asked of the API, and what each of its answers means."""

import logging
import re
import socket
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from pytest_django import Settings

from notifications.messages import Message
from notifications.providers import get_provider, sendgrid
from notifications.providers.base import (
    Accepted,
    Outcome,
    Permanent,
    Retryable,
    Throttled,
    Unavailable,
    Uncertain,
)
from tests.providers.sendgrid_server import Answer, SendGridServer, running_server

KEY = "SG.very-secret"
MESSAGE = Message(
    to="ana@example.com",
    to_name="Ana Horvat",
    subject="Three companies\r\nBcc: victim@example.com",
    text="Plain words",
    html="<p>Rich words</p>",
    headers={
        "List-Unsubscribe": "<https://example.com/u/1>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Reply-To": "Help <help@example.com>",
        "To": "victim@example.com",
        "X-Bad Name": "x",
    },
    category="digest",
)


@pytest.fixture
def server(settings: Settings) -> Iterator[SendGridServer]:
    with running_server() as state:
        settings.SENDGRID_API_HOST = state.url
        settings.SENDGRID_API_KEY = KEY
        settings.EMAIL_PROVIDER = "sendgrid"
        yield state


def send() -> Outcome:
    with get_provider() as provider:
        return provider.send(17, MESSAGE)


def test_an_accepted_message_carries_sendgrids_id(server: SendGridServer) -> None:
    assert send() == Accepted(message_id="message-1")
    assert server.authorizations == [f"Bearer {KEY}"]


def test_the_request_holds_one_person_the_opaque_id_and_our_own_list_headers(
    server: SendGridServer, settings: Settings
) -> None:
    settings.DEFAULT_FROM_EMAIL = "Marktlotse <post@marktlotse.example>"
    send()
    assert server.requests == [
        {
            "personalizations": [
                {
                    "to": [{"email": "ana@example.com", "name": "Ana Horvat"}],
                    "custom_args": {"delivery": "17"},
                    "headers": {
                        "List-Unsubscribe": "<https://example.com/u/1>",
                        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
                    },
                }
            ],
            "from": {"email": "post@marktlotse.example", "name": "Marktlotse"},
            "reply_to": {"email": "help@example.com", "name": "Help"},
            "subject": "Three companies Bcc: victim@example.com",
            "content": [
                {"type": "text/plain", "value": "Plain words"},
                {"type": "text/html", "value": "<p>Rich words</p>"},
            ],
            "categories": ["digest"],
            "tracking_settings": {"subscription_tracking": {"enable": False}},
        }
    ]


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (400, Permanent),
        (413, Permanent),
        (401, Unavailable),
        (403, Unavailable),
        (404, Unavailable),
        (408, Retryable),
        (429, Throttled),
        (500, Retryable),
        (503, Retryable),
        (502, Uncertain),
        (504, Uncertain),
    ],
)
def test_each_status_has_its_meaning(
    server: SendGridServer, status: int, outcome: type[Outcome]
) -> None:
    server.refuse(status)
    answer = send()
    assert type(answer) is outcome
    assert answer.answer == f"{status} Does not contain a valid address."  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("header", "until"),
    [
        ("1796029200", datetime.fromtimestamp(1796029200, tz=UTC)),
        ("", None),
        ("soon", None),
        ("9" * 40, None),
    ],
)
def test_429_names_the_time_of_the_reset_when_it_can_be_read(
    server: SendGridServer, header: str, until: datetime | None
) -> None:
    server.refuse(429, X_RateLimit_Reset=header)
    answer = send()
    assert isinstance(answer, Throttled)
    assert answer.until == until


def test_a_body_that_is_not_json_is_kept_as_the_answer(server: SendGridServer) -> None:
    server.answers.append(Answer(502, {}, b"<h1>Bad gateway</h1>"))
    assert send() == Uncertain("502 <h1>Bad gateway</h1>")


def test_a_refused_connection_is_nobodys_fault(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        settings.SENDGRID_API_HOST = f"http://127.0.0.1:{closed.getsockname()[1]}"
        settings.EMAIL_PROVIDER = "sendgrid"
        assert isinstance(send(), Unavailable)
    assert "UnableToConnect" in caplog.text


def test_silence_after_the_request_is_uncertain(
    server: SendGridServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sendgrid, "TIMEOUT_SECONDS", 0.2)
    server.answers.append(Answer(delay=0.6))
    answer = send()
    assert isinstance(answer, Uncertain)
    assert answer.is_timeout


def test_a_cut_line_is_uncertain(server: SendGridServer) -> None:
    server.answers.append(Answer(cuts_line=True))
    answer = send()
    assert isinstance(answer, Uncertain)
    assert not answer.is_timeout


def test_the_client_never_waits_for_ever() -> None:
    assert sendgrid.SendGridProvider()._api.client.mail.send.timeout == 20


@pytest.mark.parametrize("status", [202, 400, 401])
def test_neither_key_nor_text_is_logged_even_at_debug(
    server: SendGridServer, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("python_http_client", "python_http_client.client", "urllib3"):
        caplog.set_level(logging.DEBUG, logger=name)
    server.answers.append(Answer(status, {}, b"{}"))
    send()
    assert not re.search(r"very-secret|Plain words|Rich words|ana@example", caplog.text)


def test_whether_it_was_accepted_cannot_be_asked(server: SendGridServer) -> None:
    with get_provider() as provider:
        assert provider.was_accepted(None) is None  # type: ignore[arg-type]
