"""Mail through SendGrid's v3 API with the official client; one table says what answers mean."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from types import TracebackType

from django.conf import settings
from python_http_client.exceptions import HTTPError
from urllib3.exceptions import HTTPError as LineError

from notifications.messages import Message
from notifications.providers.base import (
    Accepted,
    Outcome,
    Pair,
    Permanent,
    Provider,
    Retryable,
    Throttled,
    Unavailable,
    Uncertain,
)
from notifications.providers.http_line import HTTPLine, UnableToConnect, outcome_of
from notifications.providers.sendgrid_client import MailSendClient
from notifications.providers.sendgrid_request import batches, payload

logger = logging.getLogger(__name__)

MAX_PERSONALIZATIONS = 1000
refuses_us = partial(Unavailable, is_auth=True)

# By status; other 4xx are Permanent, and anything else unknown is Retryable. 401 and 403: our
# key, account or sender. 3xx, 404 to 407, 415: the host is wrong, or something between; no
# message is to blame. 500, 503 and unknown 5xx are the API's own word that it did not accept: it
# documents 2xx as the one answer to an accepted request, and 5xx as an error of its own after
# which to try again. So they are Retryable although the request was sent in full; Uncertain would
# hold back, or by policy drop, mail that nobody has. 502 and 504 are no word of the API's: they
# come from something between, which may have passed the request on.
BY_STATUS: Mapping[int, Callable[[str], Outcome]] = {
    **dict.fromkeys((301, 302, 303, 307, 308), Unavailable),
    400: Permanent,
    401: refuses_us,
    403: refuses_us,
    404: Unavailable,
    405: Unavailable,
    406: Unavailable,
    407: Unavailable,
    408: Retryable,
    413: Permanent,
    415: Unavailable,
    429: Throttled,
    500: Retryable,
    502: Uncertain,
    503: Retryable,
    504: Uncertain,
}


class SendGridProvider(Provider):
    """One request takes up to a thousand recipients of the same body."""

    name = "sendgrid"
    max_batch = MAX_PERSONALIZATIONS

    def __init__(self) -> None:
        host = settings.SENDGRID_API_HOST.rstrip("/")
        self._line = HTTPLine(host)
        self._client = MailSendClient(settings.SENDGRID_API_KEY, host, self._line)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._line.close()

    def send(self, delivery_id: int, message: Message) -> Outcome:
        return self.send_many([(delivery_id, message)])

    def send_many(self, pairs: Sequence[Pair]) -> Outcome:
        try:
            response = self._client.post(request_body=payload(pairs))
        except HTTPError as error:
            return _by_status(error, pairs)
        except (LineError, UnableToConnect) as error:
            outcome = outcome_of(error)
            if isinstance(outcome, Unavailable):
                logger.error("UnableToConnect: SendGrid cannot be reached (%s)", outcome.answer)
            return outcome
        return Accepted(message_id=response.headers.get("X-Message-Id") or "")

    def batches(self, pairs: Sequence[Pair]) -> Iterator[list[Pair]]:
        return batches(pairs, self.max_batch)


def _by_status(error: HTTPError, pairs: Sequence[Pair]) -> Outcome:
    errors = _errors_in(error.body)
    reasons = "; ".join(f"{text} ({field})" if field else text for text, field in errors)
    answer = f"{error.status_code} {reasons}".strip()
    default = Permanent if 400 <= error.status_code < 500 else Retryable
    make = BY_STATUS.get(error.status_code, default)
    if make is Throttled:
        return Throttled(answer, until=_reset_time(error.headers))
    if make is Permanent and _is_about_our_sender(errors, pairs):
        make = refuses_us
    outcome = make(answer)
    if isinstance(outcome, Unavailable):
        # Not its words: they may repeat what a request said.
        logger.error(
            "UnableToSend: SendGrid answered %d; no message is to blame", error.status_code
        )
    return outcome


def _is_about_our_sender(errors: Sequence[tuple[str, str]], pairs: Sequence[Pair]) -> bool:
    """A wrong DEFAULT_FROM_EMAIL would otherwise make every message a dead letter."""
    fields = {field.partition(".")[0] for _text, field in errors}
    return fields == {"from"} and not pairs[0][1].from_address


def _errors_in(body: bytes) -> list[tuple[str, str]]:
    """The API's own words and fields, out of `{"errors": [{"message": …, "field": …}]}`."""
    try:
        errors = json.loads(body)["errors"]
        return [(str(error["message"]), str(error.get("field") or "")) for error in errors]
    except (ValueError, KeyError, TypeError, AttributeError):
        return [(body.decode("utf-8", "replace"), "")] if body else []


def _reset_time(headers: Mapping[str, str]) -> datetime | None:
    """When the quota starts anew (`X-RateLimit-Reset`, epoch seconds); None where unreadable."""
    try:
        return datetime.fromtimestamp(int(headers.get("X-RateLimit-Reset") or ""), tz=UTC)
    except (ValueError, OverflowError, OSError):
        return None
