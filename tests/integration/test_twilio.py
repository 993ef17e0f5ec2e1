"""Twilio: what is asked of it, what its codes mean, and where it is told to report."""

import socket
from collections.abc import Iterator

import pytest
from pytest_django import Settings

from notifications.messages import Message
from notifications.providers import (
    UnableToChooseProvider,
    http_line,
    provider_for,
    provider_name_for,
)
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
from notifications.providers.outbox import path_of
from tests.providers.simulator import Answer
from tests.providers.twilio_simulator import REFUSED_NUMBERS, TwilioSimulator, running_server

ACCOUNT = "AC0123456789"


@pytest.fixture
def server(settings: Settings) -> Iterator[TwilioSimulator]:
    with running_server(auth_token="very-secret-token") as state:
        settings.SMS_PROVIDER = "twilio"
        settings.TWILIO_API_HOST = state.url
        settings.TWILIO_ACCOUNT_SID, settings.TWILIO_AUTH_TOKEN = ACCOUNT, "very-secret-token"
        settings.TWILIO_FROM = "+4930123456"
        # Where nobody answers: what is reported belongs to other tests.
        settings.SITE_URL = "http://127.0.0.1:9"
        yield state


def send(to: str = "+4915112345678", text: str = "Ihr Code: -code-") -> Outcome:
    message = Message(to=to, text=text, substitutions={"-code-": "X1"})
    with provider_for("sms") as provider:
        return provider.send(17, message)


def test_an_accepted_sms_carries_twilios_id_and_says_where_to_report(
    server: TwilioSimulator,
) -> None:
    answer = send()
    assert isinstance(answer, Accepted)
    assert answer.message_id.startswith("SM")
    assert server.requests == [
        {
            "To": "+4915112345678",
            "From": "+4930123456",
            "Body": "Ihr Code: X1",
            "StatusCallback": f"http://127.0.0.1:9/webhooks/twilio/?delivery={opaque_id(17)}",
        }
    ]
    assert server.accepted_by_delivery == {opaque_id(17): 1}


def test_a_messaging_service_is_named_instead_of_a_number(
    server: TwilioSimulator, settings: Settings
) -> None:
    settings.TWILIO_FROM = "MG42"
    assert isinstance(send(), Accepted)
    assert server.requests[0]["MessagingServiceSid"] == "MG42"
    assert "From" not in server.requests[0]


@pytest.mark.parametrize(
    ("status", "code", "outcome"),
    [
        (400, 21211, Permanent),
        (400, 21610, Permanent),
        (400, 21614, Permanent),
        (400, 21617, Permanent),
        (400, 29999, Permanent),
        (400, 21606, Unavailable),
        (401, 20003, Unavailable),
        (403, 20006, Unavailable),
        (403, 99999, Unavailable),
        (404, 20404, Unavailable),
        (429, 20429, Throttled),
        (429, 99999, Throttled),
        (400, 14107, Throttled),
        (429, 21611, Throttled),
        (500, 20500, Retryable),
        (503, 20503, Retryable),
        (502, 502, Uncertain),
        (504, 504, Uncertain),
    ],
)
def test_each_code_has_its_meaning(
    server: TwilioSimulator, status: int, code: int, outcome: type[Outcome]
) -> None:
    server.refuse(status, code, "Words")
    answer = send()
    assert type(answer) is outcome
    assert answer.answer.startswith(f"{code} ")  # type: ignore[union-attr]
    assert "Words" in answer.answer  # type: ignore[union-attr]
    if isinstance(answer, Unavailable):
        assert answer.is_auth == (status != 404)


@pytest.mark.parametrize("number", sorted(REFUSED_NUMBERS))
def test_refused_numbers_are_refused_for_good(server: TwilioSimulator, number: str) -> None:
    answer = send(number)
    assert isinstance(answer, Permanent)
    assert answer.answer.startswith(str(REFUSED_NUMBERS[number][0]))
    assert server.stats()["accepted"] == 0


def test_a_wrong_token_is_for_an_operator(server: TwilioSimulator) -> None:
    server.auth_token = "another"
    answer = send()
    assert isinstance(answer, Unavailable)
    assert answer.is_auth


def test_an_answer_that_is_not_json_is_read_by_its_status(server: TwilioSimulator) -> None:
    server.answers.append(Answer(503, {}, b"<h1>Busy</h1>"))
    assert isinstance(send(), Retryable)


def test_a_yes_that_nobody_can_read_is_uncertain(server: TwilioSimulator) -> None:
    server.answers.append(Answer(201, {}, b"<h1>Created</h1>"))
    assert isinstance(send(), Uncertain)


def test_no_server_at_all_is_nobodys_fault(settings: Settings) -> None:
    settings.SMS_PROVIDER = "twilio"
    settings.TWILIO_ACCOUNT_SID, settings.TWILIO_AUTH_TOKEN = ACCOUNT, "token"
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        settings.TWILIO_API_HOST = f"http://127.0.0.1:{closed.getsockname()[1]}"
        answer = send()
    assert isinstance(answer, Unavailable)
    assert not answer.is_auth


def test_silence_and_a_cut_line_are_uncertain(
    server: TwilioSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_line, "READ_SECONDS", 0.2)
    server.answers += [Answer(delay=0.6), Answer(cuts_line=True), Answer(cuts_after=True)]
    timed_out, cut, cut_after = send(), send(), send()
    assert isinstance(timed_out, Uncertain)
    assert timed_out.is_timeout
    assert isinstance(cut, Uncertain)
    assert isinstance(cut_after, Uncertain)
    assert not cut.is_timeout


def test_an_sms_to_the_outbox_is_a_file() -> None:
    with provider_for("sms") as provider:
        assert provider.send(17, Message(to="+4915112345678", text="Code X1")) == Accepted(
            "000000000017.eml"
        )
    mail = path_of(17).read_text()
    assert "To: +4915112345678" in mail
    assert "Code X1" in mail


def test_a_channel_without_a_provider_says_so(settings: Settings) -> None:
    settings.SMS_PROVIDER = ""
    assert provider_name_for("sms") == ""
    for channel in ("sms", "push"):
        with pytest.raises(UnableToChooseProvider, match=channel):
            provider_for(channel)
