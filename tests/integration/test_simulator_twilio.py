"""The simulated Twilio checks the login, and reports what became of a message with a signature."""

import base64
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
import urllib3
from pytest_httpserver import HTTPServer
from twilio.request_validator import RequestValidator
from werkzeug import Request, Response

from tests.providers.twilio_simulator import TwilioSimulator, running_server


@pytest.fixture
def server() -> Iterator[TwilioSimulator]:
    with running_server(auth_token="right") as simulator:
        yield simulator


def ask(
    server: TwilioSimulator, login: str = "AC1:right", **fields: str
) -> urllib3.BaseHTTPResponse:
    encoded = base64.b64encode(login.encode()).decode()
    whole = {"To": "+4915112345678", "From": "+4930123456", "Body": "Words", **fields}
    return urllib3.request(
        "POST",
        f"{server.url}/2010-04-01/Accounts/AC1/Messages.json",
        body=urlencode(whole),
        headers={"Authorization": f"Basic {encoded}"},
        retries=False,
    )


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"login": "AC1:wrong"}, 401, 20003),
        ({"To": ""}, 400, 21604),
        ({"From": ""}, 400, 21603),
        ({"Body": ""}, 400, 21602),
        ({"To": "0151 12345"}, 400, 21211),
        ({"To": "+15005550004"}, 400, 21610),
        ({"Body": "x" * 1601}, 400, 21617),
    ],
)
def test_whatever_is_wrong_is_refused_with_its_code(
    server: TwilioSimulator, fields: dict[str, str], status: int, code: int
) -> None:
    answer = ask(server, **fields)
    assert (answer.status, answer.json()["status"], answer.json()["code"]) == (status, status, code)
    assert answer.json()["more_info"].endswith(str(code))
    assert server.stats()["accepted"] == 0


@pytest.mark.parametrize(
    ("number", "last", "code"),
    [
        ("+4915112345600", "delivered", None),
        ("+4915112345698", "failed", "30003"),
        ("+4915112345699", "undelivered", "30005"),
    ],
)
def test_what_became_of_a_message_is_posted_as_twilio_signs_it(
    server: TwilioSimulator, httpserver: HTTPServer, number: str, last: str, code: str | None
) -> None:
    url = httpserver.url_for("/webhooks/twilio/?delivery=7.abc")
    received: list[dict[str, str]] = []

    def take(request: Request) -> Response:
        fields = request.form.to_dict()
        signature = request.headers["X-Twilio-Signature"]
        assert RequestValidator("right").validate(url, fields, signature)
        received.append(fields)
        return Response(status=204)

    httpserver.expect_request("/webhooks/twilio/").respond_with_handler(take)
    sid = ask(server, To=number, StatusCallback=url).json()["sid"]
    server.events.wait_until_posted()
    assert [fields["MessageStatus"] for fields in received] == ["sent", last]
    assert {fields["MessageSid"] for fields in received} == {sid}
    assert received[1].get("ErrorCode") == code
    assert server.accepted_by_delivery == {"7.abc": 1}
