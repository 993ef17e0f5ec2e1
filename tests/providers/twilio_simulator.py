"""Twilio's Messages resource on this machine, for tests and for watching the product talk to it.

    python -m tests.providers.twilio_simulator --port 8026 --secret my-token --fail-503 0.05

The product talks to it with SMS_PROVIDER=twilio, TWILIO_API_HOST=http://127.0.0.1:8026, any
TWILIO_ACCOUNT_SID and TWILIO_FROM, and TWILIO_AUTH_TOKEN as given by --secret. What becomes of a
message is posted, signed, to the StatusCallback that its request names. The numbers with a
documented meaning (+15005550001 to +15005550009) are refused as Twilio's test numbers are; a
number that ends in 98 fails later, one in 99 is not delivered.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from tests.providers import simulator_command
from tests.providers.event_posting import Event, EventPoster, Habits
from tests.providers.simulator import Answer, Simulator
from tests.providers.simulator_http import Received

PATH = re.compile(r"/2010-04-01/Accounts/(?P<sid>\w+)/Messages\.json")
ACCOUNT_PATH = re.compile(r"/2010-04-01/Accounts/(?P<sid>\w+)\.json")
NUMBER = re.compile(r"\+[1-9]\d{6,14}")
LONGEST_TEXT = 1600
# Error codes and words for the numbers that Twilio documents for tests.
REFUSED_NUMBERS = {
    "+15005550001": (21211, "Invalid 'To' Phone Number: +15005550001"),
    "+15005550002": (21612, "The message cannot be sent with this combination of To and From."),
    "+15005550003": (21408, "Permission to send an SMS has not been enabled for the region."),
    "+15005550004": (21610, "Attempt to send to unsubscribed recipient"),
    "+15005550009": (21614, "'To' number is not a valid mobile number"),
}
CODES = {401: 20003, 404: 20404, 429: 20429, 500: 20500, 503: 20503}
LATER = {"98": ("failed", "30003"), "99": ("undelivered", "30005")}


class TwilioSimulator(Simulator):
    """Takes SMS; `auth_token` is the only right one, and signs the callbacks."""

    def __init__(
        self,
        port: int = 0,
        *,
        auth_token: str,
        habits: Habits | None = None,
        seed: int = 1,
        **options: Any,
    ) -> None:
        super().__init__(port, seed=seed, **options)
        self.auth_token = auth_token
        self.account_status = "active"
        habits = habits or Habits()
        habits.per_request = 1
        self.events = EventPoster(self._render, habits, seed)

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        self.events.close()

    def refuse(self, status: int, code: int, message: str = "Refused") -> None:
        """Answer the next request with this HTTP status and error code."""
        self.answers.append(Answer(status, {}, _error(status, code, message)))

    def stats(self) -> dict[str, Any]:
        return {**super().stats(), **self.events.counts}

    def parse(self, received: Received) -> dict[str, Any]:
        return dict(parse_qsl(received.body.decode("utf-8", "replace"), keep_blank_values=True))

    def refusal(self, status: int) -> bytes:
        return _error(status, CODES.get(status, status), "Refused")

    def judge(self, received: Received, request: dict[str, Any], number: int) -> Answer:
        path = PATH.fullmatch(received.path)
        if path is None:
            return Answer(404, {}, self.refusal(404))
        sid = path["sid"]
        if received.headers.get("Authorization") != _login(sid, self.auth_token):
            return Answer(401, {}, _error(401, 20003, "Authenticate"))
        fits, _headers = self.quota.take(1)
        if not fits:
            return Answer(429, {}, _error(429, 20429, "Too Many Requests"))
        if wrong := _wrong_with(request):
            return Answer(400, {}, _error(400, *wrong))
        return Answer(201, {}, self._accept(sid, request))

    def look_up(self, received: Received) -> Answer:
        """The account itself."""
        path = ACCOUNT_PATH.fullmatch(received.path)
        if path is None:
            return Answer(404, {}, self.refusal(404))
        if received.headers.get("Authorization") != _login(path["sid"], self.auth_token):
            return Answer(401, {}, _error(401, 20003, "Authenticate"))
        account = {"sid": path["sid"], "status": self.account_status}
        return Answer(200, {}, json.dumps(account).encode())

    def _accept(self, account: str, request: Mapping[str, str]) -> bytes:
        message_sid = "SM" + uuid.uuid4().hex
        callback = request.get("StatusCallback", "")
        self.accepted_by_address[request["To"]] += 1
        delivery = parse_qs(urlsplit(callback).query).get("delivery", [""])[0]
        self.accepted_by_delivery[delivery] += 1
        if callback:
            self.events.put(_statuses(account, message_sid, request))
        return json.dumps(
            {
                "sid": message_sid,
                "account_sid": account,
                "status": "queued",
                "to": request["To"],
                "from": request.get("From"),
                "body": request["Body"],
                "error_code": None,
            }
        ).encode()

    def _render(self, events: Sequence[Event]) -> tuple[str, bytes, Mapping[str, str]]:
        [event] = events
        fields = {name: value for name, value in event.items() if name != "url"}
        signature = signature_of(event["url"], fields, self.auth_token)
        headers = {
            "Content-Type": "application/x-www-form-urlencoded",
            "X-Twilio-Signature": signature,
        }
        return event["url"], urlencode(fields).encode(), headers


def signature_of(url: str, fields: Mapping[str, str], auth_token: str) -> str:
    """Twilio's signature: the address and all fields by name, HMAC-SHA1 with the token."""
    signed = url + "".join(f"{name}{fields[name]}" for name in sorted(fields))
    digest = hmac.new(auth_token.encode(), signed.encode(), hashlib.sha1).digest()
    return base64.b64encode(digest).decode()


def _wrong_with(request: Mapping[str, str]) -> tuple[int, str] | None:
    """Error code and words for the first thing that is wrong."""
    to, text = request.get("To", ""), request.get("Body", "")
    if not to:
        return 21604, "A 'To' phone number is required."
    if not (request.get("From") or request.get("MessagingServiceSid")):
        return 21603, "A 'From' phone number is required."
    if not text:
        return 21602, "Message body is required."
    if to in REFUSED_NUMBERS:
        return REFUSED_NUMBERS[to]
    if not NUMBER.fullmatch(to):
        return 21211, f"Invalid 'To' Phone Number: {to}"
    if len(text) > LONGEST_TEXT:
        return 21617, "The concatenated message body exceeds the 1600 character limit."
    return None


def _statuses(account: str, message_sid: str, request: Mapping[str, str]) -> list[Event]:
    last, code = LATER.get(request["To"][-2:], ("delivered", ""))
    return [
        {
            "url": request["StatusCallback"],
            "AccountSid": account,
            "MessageSid": message_sid,
            "SmsSid": message_sid,
            "MessageStatus": status,
            "SmsStatus": status,
            "To": request["To"],
            "From": request.get("From", ""),
            "ApiVersion": "2010-04-01",
            **({"ErrorCode": code} if code and status == last else {}),
        }
        for status in ("sent", last)
    ]


def _login(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def _error(status: int, code: int, message: str) -> bytes:
    more = f"https://www.twilio.com/docs/errors/{code}"
    answer = {"code": code, "message": message, "more_info": more, "status": status}
    return json.dumps(answer).encode()


@contextmanager
def running_server(**options: Any) -> Iterator[TwilioSimulator]:
    """Serve on a free port of this machine."""
    with TwilioSimulator(**options) as simulator:
        yield simulator


def main() -> None:
    arguments = simulator_command.parse(__doc__ or "", default_port=8026)
    simulator_command.run(
        TwilioSimulator(
            auth_token=arguments.secret or "token",
            habits=Habits(repeated=arguments.repeated, out_of_order=arguments.out_of_order),
            **simulator_command.options(arguments),
        )
    )


if __name__ == "__main__":
    main()
