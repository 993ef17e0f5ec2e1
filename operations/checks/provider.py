"""The providers of mail and SMS: reachable, and our key is right. Nothing is sent."""

from __future__ import annotations

import json
import os
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from urllib3.exceptions import HTTPError
from urllib3.response import BaseHTTPResponse

from notifications.models import Channel
from notifications.providers import provider_name_for
from notifications.providers.http_line import HTTPLine, UnableToConnect
from notifications.providers.smtp_line import Refused, connect
from operations.checks.check import Check, failed, passed
from operations.reach import Reach, in_short

SECONDS = 2.0
OK, REFUSED = 200, (401, 403)


def check_provider(reach: Reach) -> Check:
    """The provider of mail, EMAIL_PROVIDER."""
    return _look("provider", provider_name_for(Channel.EMAIL), "EMAIL_PROVIDER")


def check_sms(reach: Reach) -> Check:
    """The provider of SMS, SMS_PROVIDER, which may be none."""
    name = provider_name_for(Channel.SMS)
    if not name:
        return passed("sms", _("No SMS are sent: SMS_PROVIDER is empty."))
    return _look("sms", name, "SMS_PROVIDER")


def _look(check: str, provider: str, setting: str) -> Check:
    look = LOOKS.get(provider)
    if look is None:
        return failed(
            check,
            _("%(setting)s names no provider that is known.") % {"setting": setting},
            _("Set %(setting)s to one of: %(names)s.")
            % {"setting": setting, "names": ", ".join(LOOKS)},
        )
    return look(check)


def _sendgrid(check: str) -> Check:
    host = settings.SENDGRID_API_HOST.rstrip("/")
    headers = {"Authorization": f"Bearer {settings.SENDGRID_API_KEY}"}
    answer = _get(host, f"{host}/v3/scopes", headers)
    if isinstance(answer, str):
        return _unreachable(check, "SendGrid", answer, "SENDGRID_API_HOST")
    if answer.status in REFUSED:
        return _wrong_key(check, "SendGrid", answer.status, "SENDGRID_API_KEY")
    if answer.status != OK:
        return _unreachable(check, "SendGrid", str(answer.status), "SENDGRID_API_HOST")
    if "mail.send" not in _scopes(answer):
        return failed(
            check,
            _("SendGrid knows the key, but it may not send mail."),
            _("Give the key the permission “Mail Send” at SendGrid, or make a new one."),
        )
    if settings.SENDGRID_SANDBOX:
        return failed(
            check,
            _("SendGrid knows the key, but delivers nothing: SENDGRID_SANDBOX is on."),
            _("Set SENDGRID_SANDBOX to false."),
        )
    return passed(check, _("SendGrid answers, and the key may send mail."))


def _twilio(check: str) -> Check:
    host, sid = settings.TWILIO_API_HOST.rstrip("/"), settings.TWILIO_ACCOUNT_SID
    login = b64encode(f"{sid}:{settings.TWILIO_AUTH_TOKEN}".encode()).decode()
    url = f"{host}/2010-04-01/Accounts/{sid}.json"
    answer = _get(host, url, {"Authorization": f"Basic {login}"})
    if isinstance(answer, str):
        return _unreachable(check, "Twilio", answer, "TWILIO_API_HOST")
    if answer.status in (*REFUSED, 404):
        return _wrong_key(check, "Twilio", answer.status, "TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN")
    if answer.status != OK:
        return _unreachable(check, "Twilio", str(answer.status), "TWILIO_API_HOST")
    status = _json(answer).get("status")
    if status != "active":
        return failed(
            check,
            _("The account at Twilio is not active: %(status)s.") % {"status": status},
            _("Sign in at Twilio: the account must be opened again there."),
        )
    return passed(check, _("Twilio answers, and the account is active."))


def _smtp(check: str) -> Check:
    where = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
    try:
        line = connect(SECONDS)
        try:
            code, words = line.noop()
        finally:
            line.close()
    except Refused as error:
        return failed(
            check,
            _("The mail server %(where)s refuses our account: %(answer)s")
            % {"where": where, "answer": in_short(error)},
            _("Set EMAIL_HOST_USER and EMAIL_HOST_PASSWORD as the server's operator says."),
        )
    except OSError as error:  # smtplib's errors are OSErrors too
        return _unreachable(check, where, in_short(error), "EMAIL_HOST, EMAIL_PORT")
    if code != 250:
        said = f"{code} {words.decode('utf-8', 'replace')}"
        return _unreachable(check, where, said, "EMAIL_HOST, EMAIL_PORT")
    return passed(check, _("The mail server %(where)s answers.") % {"where": where})


def _outbox(check: str) -> Check:
    folder = Path(settings.OUTBOX_DIR)
    # The first mail makes the folder.
    existing = next(place for place in (folder, *folder.parents) if place.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        return failed(
            check,
            _("The outbox %(folder)s cannot be written.") % {"folder": folder},
            _("Let OUTBOX_DIR name a folder that this process may write to."),
        )
    return passed(check, _("Mails are written to files: nobody gets any."))


LOOKS: dict[str, Callable[[str], Check]] = {
    "sendgrid": _sendgrid, "smtp": _smtp, "twilio": _twilio, "outbox": _outbox,
}  # fmt: skip


def _get(host: str, url: str, headers: dict[str, str]) -> BaseHTTPResponse | str:
    """The answer, or why there is none."""
    line = HTTPLine(host)
    try:
        return line.get(url, headers, SECONDS)
    except (HTTPError, UnableToConnect) as error:
        return in_short(error)
    finally:
        line.close()


def _unreachable(check: str, name: str, answer: str, setting: str) -> Check:
    return failed(
        check,
        _("%(name)s does not answer as it should: %(answer)s") % {"name": name, "answer": answer},
        _(
            "See that %(setting)s is right, and that this machine may open lines to it. Mails wait "
            "meanwhile, and no attempt is counted."
        )
        % {"setting": setting},
    )


def _wrong_key(check: str, name: str, status: int, setting: str) -> Check:
    return failed(
        check,
        _("%(name)s refuses our key (%(status)d).") % {"name": name, "status": status},
        _(
            "Put a valid key into %(setting)s, start web, workers and beat again, and resume the "
            "provider in the admin, under Provider quotas."
        )
        % {"setting": setting},
    )


def _scopes(answer: BaseHTTPResponse) -> list[str]:
    scopes = _json(answer).get("scopes")
    return scopes if isinstance(scopes, list) else []


def _json(answer: BaseHTTPResponse) -> dict[str, Any]:
    try:
        value = json.loads(answer.data)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
