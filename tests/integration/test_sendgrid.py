"""SendGrid: what is asked of the API, and what each of its answers means."""

import socket
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from pytest_django import Settings

from notifications.messages import Message
from notifications.providers import get_provider, http_line
from notifications.providers.base import (
    Accepted,
    Outcome,
    Permanent,
    Retryable,
    Throttled,
    Unavailable,
    Uncertain,
)
from notifications.providers.opaque_ids import opaque_id
from tests.providers.sendgrid_simulator import SendGridSimulator, running_server
from tests.providers.simulator import Answer

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
def server(settings: Settings) -> Iterator[SendGridSimulator]:
    with running_server() as state:
        settings.SENDGRID_API_HOST = state.url
        settings.SENDGRID_API_KEY = KEY
        settings.EMAIL_PROVIDER = "sendgrid"
        yield state


def send() -> Outcome:
    with get_provider() as provider:
        return provider.send(17, MESSAGE)


def test_an_accepted_message_carries_sendgrids_id(server: SendGridSimulator) -> None:
    assert send() == Accepted(message_id="message-1")
    assert server.authorizations == [f"Bearer {KEY}"]


def test_the_request_holds_one_person_the_opaque_id_and_our_own_list_headers(
    server: SendGridSimulator, settings: Settings
) -> None:
    settings.DEFAULT_FROM_EMAIL = "Marktlotse <post@marktlotse.example>"
    send()
    assert server.requests == [
        {
            "personalizations": [
                {
                    "to": [{"email": "ana@example.com", "name": "Ana Horvat"}],
                    "custom_args": {"delivery": opaque_id(17)},
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
        (422, Permanent),
        (302, Unavailable),
        (401, Unavailable),
        (403, Unavailable),
        (404, Unavailable),
        (405, Unavailable),
        (407, Unavailable),
        (415, Unavailable),
        (408, Retryable),
        (429, Throttled),
        (500, Retryable),
        (503, Retryable),
        (507, Retryable),
        (502, Uncertain),
        (504, Uncertain),
    ],
)
def test_each_status_has_its_meaning(
    server: SendGridSimulator, status: int, outcome: type[Outcome]
) -> None:
    body = b'{"errors": [{"message": "Bad thing", "field": "to", "help": null}]}'
    server.answers.append(Answer(status, {}, body))
    answer = send()
    assert type(answer) is outcome
    assert answer.answer == f"{status} Bad thing (to)"  # type: ignore[union-attr]
    if isinstance(answer, Unavailable):
        assert answer.is_auth == (status in (401, 403))


def test_a_refused_address_is_named_by_its_field(server: SendGridSimulator) -> None:
    server.bad_addresses = {"ana@example.com"}
    assert send() == Permanent(
        "400 Does not contain a valid address. (personalizations.0.to.0.email)"
    )


def test_a_wrong_sender_of_ours_stops_everything_instead_of_killing_each_message(
    server: SendGridSimulator, settings: Settings
) -> None:
    settings.DEFAULT_FROM_EMAIL = "nonsense"
    answer = send()
    assert isinstance(answer, Unavailable)
    assert answer.is_auth
    with get_provider() as provider:
        own = replace(MESSAGE, from_address="nonsense either")
        assert isinstance(provider.send(17, own), Permanent)


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
    server: SendGridSimulator, header: str, until: datetime | None
) -> None:
    server.refuse(429, X_RateLimit_Reset=header)
    answer = send()
    assert isinstance(answer, Throttled)
    assert answer.until == until


def test_a_body_that_is_not_json_is_kept_as_the_answer(server: SendGridSimulator) -> None:
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
    server: SendGridSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_line, "READ_SECONDS", 0.2)
    server.answers.append(Answer(delay=0.6))
    answer = send()
    assert isinstance(answer, Uncertain)
    assert answer.is_timeout


def test_a_server_that_cannot_be_reached_in_time_has_got_nothing(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_line, "CONNECT_SECONDS", 0.2)
    settings.EMAIL_PROVIDER = "sendgrid"
    with socket.socket() as full, socket.socket() as first, socket.socket() as second:
        full.bind(("127.0.0.1", 0))
        full.listen(0)  # nobody accepts: the queue is full after these
        for waiting in (first, second):
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        settings.SENDGRID_API_HOST = f"http://127.0.0.1:{full.getsockname()[1]}"
        answer = send()
    assert isinstance(answer, Unavailable)
    assert not answer.is_auth


def test_a_server_without_tls_has_got_nothing(
    server: SendGridSimulator, settings: Settings
) -> None:
    settings.SENDGRID_API_HOST = server.url.replace("http:", "https:")
    assert isinstance(send(), Unavailable)
    assert server.stats()["accepted"] == 0


@pytest.mark.parametrize(
    ("answer", "accepted"), [(Answer(cuts_line=True), 0), (Answer(cuts_after=True), 1)]
)
def test_a_cut_line_is_uncertain_whatever_had_happened(
    server: SendGridSimulator, answer: Answer, accepted: int
) -> None:
    server.answers.append(answer)
    outcome = send()
    assert isinstance(outcome, Uncertain)
    assert not outcome.is_timeout
    assert server.stats()["accepted"] == accepted


def test_a_batch_shares_one_connection_and_a_cut_one_is_opened_anew(
    server: SendGridSimulator,
) -> None:
    server.answers += [Answer(), Answer(), Answer(cuts_after=True)]
    with get_provider() as provider:
        outcomes = [type(provider.send(number, MESSAGE)) for number in range(1, 6)]
    assert outcomes == [Accepted, Accepted, Uncertain, Accepted, Accepted]
    assert server.connections == 2


def test_whether_it_was_accepted_cannot_be_asked(server: SendGridSimulator) -> None:
    with get_provider() as provider:
        assert provider.was_accepted(None) is None  # type: ignore[arg-type]
