"""Whatever the level of the logs, neither keys nor what people are written stands in them."""

import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django import Settings

from notifications.messages import Message
from notifications.providers import get_provider, http_line
from tests.providers import sendgrid_simulator, smtp_server, twilio_simulator
from tests.providers.simulator import Answer

SECRETS = ["SG.very-secret", "very-secret-token", "very-secret-password"]
PRIVATE = ["Private words", "Rich words", "CODE-42", "ana", "4915112345678", "token-in-a-header"]
MESSAGE: dict[str, Any] = {
    "to": "ana@example.com",
    "to_name": "Ana Horvat",
    "subject": "Private words",
    "text": "Private words: -code-",
    "html": "<p>Rich words: -code-</p>",
    "headers": {"List-Unsubscribe": "<https://example.com/token-in-a-header>"},
    "substitutions": {"-code-": "CODE-42"},
}
TROUBLES = [
    Answer(),
    # Refusals that repeat what was asked.
    *(Answer(status, {}, b"ana@example.com +4915112345678 Private words") for status in
      (400, 401, 403, 404, 429, 500, 502)),
    Answer(cuts_line=True),
    Answer(cuts_after=True),
    Answer(delay=0.4),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _everything_is_logged(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> Iterator[None]:
    """Every logger there is writes all it has."""
    monkeypatch.setattr(http_line, "READ_SECONDS", 0.2)
    settings.SENDGRID_API_KEY, settings.TWILIO_AUTH_TOKEN = SECRETS[0], SECRETS[1]
    settings.EMAIL_HOST_PASSWORD = SECRETS[2]
    settings.TWILIO_ACCOUNT_SID, settings.TWILIO_FROM = "AC1", "+4930123456"
    caplog.set_level(logging.DEBUG)
    for name in list(logging.root.manager.loggerDict):
        caplog.set_level(logging.DEBUG, logger=name)
    yield
    written = "\n".join(
        f"{record.getMessage()} {record.__dict__}"
        for record in caplog.get_records("call")
        if record.name != "mail.log"  # what the mail server at the other end writes
    )
    assert "Unable" in written
    for words in [*SECRETS, *PRIVATE]:
        assert not re.search(rf"(?<![a-z]){re.escape(words)}", written), words


def fill_and_send(provider_name: str, message: Message, times: int) -> None:
    with get_provider(provider_name) as provider:
        for number in range(1, times + 1):
            provider.send(number, message)


def test_through_sendgrid(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    with sendgrid_simulator.running_server() as server:
        settings.SENDGRID_API_HOST = server.url
        server.answers += TROUBLES
        fill_and_send("sendgrid", Message(**MESSAGE), len(TROUBLES))
        assert len(server.requests) == len(TROUBLES)
    fill_and_send("sendgrid", Message(**MESSAGE), 1)
    assert "UnableToConnect" in caplog.text
    assert "UnableToSend" in caplog.text


def test_through_twilio(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    settings.SITE_URL = "http://127.0.0.1:9"
    message = Message(
        to="+4915112345678", text=MESSAGE["text"], substitutions={"-code-": "CODE-42"}
    )
    with twilio_simulator.running_server(auth_token=SECRETS[1]) as server:
        settings.TWILIO_API_HOST = server.url
        server.answers += TROUBLES
        fill_and_send("twilio", message, len(TROUBLES))
        assert len(server.requests) == len(TROUBLES)
    fill_and_send("twilio", message, 1)
    assert "UnableToConnect" in caplog.text
    assert "UnableToSend" in caplog.text


def test_through_smtp(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    with smtp_server.running_server() as server:
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        settings.EMAIL_TIMEOUT = 0.4
        server.refusals = {
            "RCPT": ["550 ana@example.com: Private words", "421 ana@example.com is unknown"],
            "TEXT": ["554 Private words", smtp_server.HANG_UP, smtp_server.SILENCE],
        }
        fill_and_send("smtp", Message(**MESSAGE), 6)
        assert len(server.mails) == 1
        # This server knows no AUTH: the password is not even sent.
        settings.EMAIL_HOST_USER = "marktlotse"
        fill_and_send("smtp", Message(**MESSAGE), 1)
    fill_and_send("smtp", Message(**MESSAGE), 1)
    assert "UnableToConnect" in caplog.text
    assert "UnableToSend" in caplog.text
