"""SMS through Twilio with the official client; one table says what its error codes mean."""

from __future__ import annotations

import logging
from base64 import b64encode
from collections.abc import Callable, Mapping
from functools import partial
from types import TracebackType
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from twilio.base.exceptions import TwilioException, TwilioRestException
from twilio.http import HttpClient
from twilio.http.response import Response
from twilio.rest import Client
from urllib3.exceptions import HTTPError as LineError

from notifications.messages import Message
from notifications.providers.base import (
    Accepted,
    Outcome,
    Permanent,
    Provider,
    Retryable,
    Throttled,
    Unavailable,
    Uncertain,
)
from notifications.providers.http_line import HTTPLine, UnableToConnect, outcome_of
from notifications.providers.opaque_ids import opaque_id

logger = logging.getLogger(__name__)

# Where Twilio reports what became of a message; the opaque id stands in the query.
STATUS_CALLBACK_PATH = "/webhooks/twilio/"
DELIVERY_ARGUMENT = "delivery"
refuses_us = partial(Unavailable, is_auth=True)

# By Twilio's error code, else by HTTP status; other 4xx are Permanent, all else is Retryable.
BY_CODE: Mapping[int, Callable[[str], Outcome]] = {
    **dict.fromkeys(
        (
            10001,  # the account is not active
            20003,  # not authenticated
            20005,  # the account is suspended
            20006,  # access denied
            21212,  # the sender is no valid number
            21603,  # there is no sender
            21606,  # the sender is not ours, or has no SMS
            21659,  # the sender is no Twilio number
            21660,  # the sender belongs to another account
            21701,  # there is no such messaging service
            21703,  # the messaging service has no senders
            21704,  # nor has it any for this channel
        ),
        refuses_us,
    ),
    **dict.fromkeys(
        (
            14107,  # the sender's rate is exceeded
            20429,  # too many requests
            21611,  # the sender's queue is full
            63038,  # the account's daily limit is reached
        ),
        Throttled,
    ),
    **dict.fromkeys(
        (
            21211,  # no valid number
            21214,  # cannot be reached
            21265,  # may not be a short code
            21408,  # this country is not switched on for our account
            21602,  # there is no text
            21604,  # there is no recipient
            21608,  # a trial account writes to confirmed numbers only
            21610,  # unsubscribed: answered STOP
            21612,  # no way from this sender to this number
            21614,  # not a mobile number
            21617,  # the text is too long
        ),
        Permanent,
    ),
    401: refuses_us,
    403: refuses_us,
    404: Unavailable,
    405: Unavailable,
    407: Unavailable,
    408: Retryable,
    429: Throttled,
    500: Retryable,
    502: Uncertain,
    503: Retryable,
    504: Uncertain,
}


class TwilioProvider(Provider):
    """One request a message: Twilio takes no more."""

    name = "twilio"

    def __init__(self) -> None:
        host = settings.TWILIO_API_HOST.rstrip("/")
        self._line = HTTPLine(host)
        client = Client(
            settings.TWILIO_ACCOUNT_SID,
            settings.TWILIO_AUTH_TOKEN,
            http_client=_KeptLine(self._line),
        )
        client.api.base_url = host
        self._messages = client.messages

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._line.close()

    def send(self, delivery_id: int, message: Message) -> Outcome:
        try:
            created = self._messages.create(**_request(delivery_id, message.filled_in()))
        except TwilioRestException as error:
            return _by_code(error)
        except (LineError, UnableToConnect) as error:
            outcome = outcome_of(error)
            if isinstance(outcome, Unavailable):
                logger.error("UnableToConnect: Twilio cannot be reached (%s)", outcome.answer)
            return outcome
        except (TwilioException, ValueError) as error:  # it said yes, in words nobody can read
            return Uncertain(type(error).__name__)
        return Accepted(message_id=created.sid or "")


class _KeptLine(HttpClient):
    """The official client's way out. Its own writes numbers and texts to the log at INFO."""

    def __init__(self, line: HTTPLine) -> None:
        super().__init__(logger, is_async=False)
        self._line = line

    def request(
        self,
        method: str,
        uri: str,
        params: dict[str, object] | None = None,
        data: dict[str, object] | None = None,
        headers: dict[str, str] | None = None,
        auth: tuple[str, str] | None = None,
        timeout: float | None = None,
        allow_redirects: bool = False,
    ) -> Response:
        login = b64encode(":".join(auth or ("", "")).encode()).decode()
        response = self._line.post(
            uri,
            urlencode(data or {}, doseq=True).encode(),
            {**(headers or {}), "Authorization": f"Basic {login}"},
        )
        return Response(response.status, response.data.decode("utf-8", "replace"))


def _request(delivery_id: int, message: Message) -> dict[str, Any]:
    sender = message.from_address or settings.TWILIO_FROM
    role = "messaging_service_sid" if sender.startswith("MG") else "from_"
    query = urlencode({DELIVERY_ARGUMENT: opaque_id(delivery_id)})
    return {
        "to": message.to,
        "body": message.text,
        role: sender,
        "status_callback": f"{settings.SITE_URL}{STATUS_CALLBACK_PATH}?{query}",
    }


def _by_code(error: TwilioRestException) -> Outcome:
    code = error.code or error.status
    default = Permanent if 400 <= error.status < 500 else Retryable
    make = BY_CODE.get(code, BY_CODE.get(error.status, default))
    outcome = make(f"{code} {error.msg}")
    if isinstance(outcome, Unavailable):
        # Not its words: they may repeat the number.
        logger.error("UnableToSend: Twilio answered %s; no message is to blame", code)
    return outcome
