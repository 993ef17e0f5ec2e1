"""What `doctor` says of the providers: they are asked something that sends nothing."""

from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import AuthResult
from django.utils import timezone
from pytest_django import Settings

from operations.checks import Check, run_checks
from tests.outages import free_port
from tests.providers import sendgrid_simulator, smtp_server, twilio_simulator


def look(name: str) -> Check:
    [check] = run_checks(now=timezone.now(), only=[name])
    assert check.name == name
    return check


@pytest.fixture
def sendgrid(settings: Settings) -> Any:
    settings.EMAIL_PROVIDER = "sendgrid"
    with sendgrid_simulator.running_server(api_key="SG.right") as server:
        settings.SENDGRID_API_HOST, settings.SENDGRID_API_KEY = server.url, "SG.right"
        yield server


def test_a_right_key_of_sendgrid_is_well_and_nothing_is_sent(sendgrid: Any) -> None:
    assert look("provider") == Check(
        "provider", True, "SendGrid answers, and the key may send mail.", ""
    )
    assert sendgrid.stats()["accepted"] == 0


def test_a_wrong_key_of_sendgrid(sendgrid: Any, settings: Settings) -> None:
    settings.SENDGRID_API_KEY = "SG.wrong"
    check = look("provider")
    assert (check.ok, check.message) == (False, "SendGrid refuses our key (401).")
    assert "SENDGRID_API_KEY" in check.remedy
    assert "SG.wrong" not in check.message + check.remedy


def test_a_key_of_sendgrid_that_may_not_send(sendgrid: Any) -> None:
    sendgrid.scopes = ["stats.read"]
    assert look("provider").message == "SendGrid knows the key, but it may not send mail."


def test_the_sandbox_of_sendgrid_delivers_nothing(sendgrid: Any, settings: Settings) -> None:
    settings.SENDGRID_SANDBOX = True
    check = look("provider")
    assert not check.ok
    assert check.remedy == "Set SENDGRID_SANDBOX to false."


def test_a_sendgrid_that_cannot_be_reached(sendgrid: Any) -> None:
    sendgrid.stop()
    check = look("provider")
    assert check.message.startswith("SendGrid does not answer as it should: ")
    assert "SENDGRID_API_HOST" in check.remedy


def test_twilio_with_the_right_token_a_wrong_one_and_a_closed_account(settings: Settings) -> None:
    settings.SMS_PROVIDER, settings.TWILIO_ACCOUNT_SID = "twilio", "AC1"
    with twilio_simulator.running_server(auth_token="right") as server:
        settings.TWILIO_API_HOST, settings.TWILIO_AUTH_TOKEN = server.url, "right"
        assert look("sms").message == "Twilio answers, and the account is active."
        server.account_status = "suspended"
        assert look("sms").message == "The account at Twilio is not active: suspended."
        settings.TWILIO_AUTH_TOKEN = "wrong"
        assert look("sms").message == "Twilio refuses our key (401)."


def test_no_sms_is_no_fault(settings: Settings) -> None:
    settings.SMS_PROVIDER = ""
    assert look("sms").ok


def test_a_mail_server_that_answers_and_one_that_is_away(settings: Settings) -> None:
    settings.EMAIL_PROVIDER, settings.EMAIL_HOST_USER = "smtp", ""
    with smtp_server.running_server() as server:
        settings.EMAIL_PORT = server.port
        where = f"127.0.0.1:{server.port}"
        assert look("provider").message == f"The mail server {where} answers."
        assert server.mails == []
    settings.EMAIL_PORT = free_port()
    check = look("provider")
    assert check.message.startswith(f"127.0.0.1:{settings.EMAIL_PORT} does not answer as it should")
    assert "EMAIL_HOST, EMAIL_PORT" in check.remedy


def test_a_mail_server_that_refuses_our_password(settings: Settings) -> None:
    settings.EMAIL_PROVIDER, settings.EMAIL_HOST_USER = "smtp", "marktlotse"
    refusal = AuthResult(success=False, handled=False, message="535 No")
    options = {"authenticator": lambda *_: refusal, "auth_require_tls": False}
    with smtp_server.running_server(**options) as server:
        settings.EMAIL_PORT = server.port
        check = look("provider")
    where = f"127.0.0.1:{server.port}"
    assert check.message == f"The mail server {where} refuses our account: 535 No"
    assert "EMAIL_HOST_PASSWORD" in check.remedy


def test_an_outbox_that_can_and_one_that_cannot_be_written(
    settings: Settings, tmp_path: Path
) -> None:
    settings.EMAIL_PROVIDER, settings.OUTBOX_DIR = "outbox", tmp_path / "a" / "b"
    assert look("provider").ok
    # A file where a folder must be stops root as well.
    (tmp_path / "a").write_text("")
    check = look("provider")
    assert check.message == f"The outbox {tmp_path / 'a' / 'b'} cannot be written."
    assert "OUTBOX_DIR" in check.remedy
