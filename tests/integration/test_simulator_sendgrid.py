"""The simulated SendGrid is as strict as the real one, troubles on request, and reports events."""

import base64
import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from threading import Lock, Thread
from typing import Any

import pytest
import urllib3
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_der_public_key
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests.providers.event_posting import Habits
from tests.providers.sendgrid_simulator import SendGridSimulator, running_server
from tests.providers.simulated_events import SIGNATURE_HEADER, TIMESTAMP_HEADER, SigningKey
from tests.providers.simulator import Answer, Faults, Quota

WEBHOOK = "/webhooks/sendgrid/"


def request(*people: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    whole: dict[str, Any] = {
        "personalizations": list(people),
        "from": {"email": "post@marktlotse.example"},
        "subject": "Hello",
        "content": [{"type": "text/plain", "value": "Words"}],
    }
    return {**whole, **changes}


def person(address: str = "ana@example.com", delivery: str = "1", **fields: Any) -> dict[str, Any]:
    return {"to": [{"email": address}], "custom_args": {"delivery": delivery}, **fields}


def ask(
    server: SendGridSimulator, body: object, path: str = "/v3/mail/send", **headers: str
) -> urllib3.BaseHTTPResponse:
    return urllib3.request(
        "POST",
        server.url + path,
        body=body if isinstance(body, bytes) else json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "Authorization": "Bearer SG.x", **headers},
        retries=False,
        timeout=10,
    )


def fields_of(answer: urllib3.BaseHTTPResponse) -> list[str | None]:
    return [error["field"] for error in answer.json()["errors"]]


@pytest.fixture
def server() -> Iterator[SendGridSimulator]:
    with running_server() as simulator:
        yield simulator


def test_a_right_request_is_accepted_with_an_id_and_the_rate_headers(
    server: SendGridSimulator,
) -> None:
    answer = ask(server, request(person("Ana@Example.com"), person("ivo@example.com", "2")))
    assert (answer.status, answer.data) == (202, b"")
    assert answer.headers["X-Message-Id"] == "message-1"
    assert answer.headers["X-RateLimit-Remaining"] == "999998"
    assert server.accepted_by_address == {"ana@example.com": 1, "ivo@example.com": 1}
    assert server.accepted_by_delivery == {"1": 1, "2": 1}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b"{not json", "personalizations"),
        (b"[]", "personalizations"),
        (request(), "personalizations"),
        (request({"to": []}), "personalizations.0.to"),
        (request(person("nobody")), "personalizations.0.to.0.email"),
        (request(person(), person("ivo@example")), "personalizations.1.to.0.email"),
        (request(person(), person("ANA@example.com")), "personalizations"),
        (request(*(person(f"p{n}@example.com") for n in range(1001))), "personalizations"),
        (request(person(substitutions={"-a-": "x" * 9_998})), "personalizations.0.substitutions"),
        (request(person(custom_args={"delivery": 1})), "personalizations.0.custom_args"),
        (request(person(headers={"Reply-To": "x"})), "personalizations.0.headers"),
        (request(person(headers={"X-Note": "Grüße"})), "personalizations.0.headers"),
        (request(person(headers={"X-Note": "a\nBcc: b"})), "personalizations.0.headers"),
        (request(person(), **{"from": {}}), "from"),
        (request(person(), **{"from": {"email": "nobody"}}), "from.email"),
        (request(person(), subject=""), "subject"),
        (request(person(), content=[]), "content"),
        (request(person(), content=[{"type": "text/html", "value": ""}]), "content.0.value"),
        (
            request(
                person(),
                content=[{"type": kind, "value": "x"} for kind in ("text/html", "text/plain")],
            ),
            "content",
        ),
        (request(person(), categories=["a", "a"]), "categories"),
    ],
)
def test_whatever_is_wrong_is_a_400_that_names_the_field_and_accepts_nothing(
    server: SendGridSimulator, body: object, field: str
) -> None:
    answer = ask(server, body)
    assert answer.status == 400
    assert field in fields_of(answer)
    assert server.stats()["accepted"] == 0


def test_given_bad_addresses_are_refused_with_the_whole_request() -> None:
    with running_server(bad_addresses=["Ivo@Example.com"]) as server:
        answer = ask(server, request(person(), person("ivo@example.com")))
    assert answer.json() == {
        "errors": [
            {
                "message": "Does not contain a valid address.",
                "field": "personalizations.1.to.0.email",
                "help": None,
            }
        ]
    }


def test_key_path_and_type_are_checked() -> None:
    with running_server(api_key="SG.right") as server:
        right = {"Authorization": "Bearer SG.right"}
        assert ask(server, request(person())).status == 401
        assert ask(server, request(person()), "/v3/mail", **right).status == 404
        assert ask(server, request(person()), **right, **{"Content-Type": "text/x"}).status == 415
        assert ask(server, request(person()), **right).status == 202


def test_recipients_who_would_see_each_other_are_counted(server: SendGridSimulator) -> None:
    both = {"to": [{"email": "ana@example.com"}, {"email": "ivo@example.com"}]}
    assert ask(server, request(both)).status == 202
    assert server.stats()["shown_to_others"] == 2


def test_the_quota_counts_recipients_and_says_when_to_come_again() -> None:
    with running_server(quota=Quota(limit=3, seconds=60)) as server:
        people = [person(f"p{n}@example.com", str(n)) for n in range(5)]
        assert ask(server, request(*people[:2])).status == 202
        refused = ask(server, request(*people[2:4]))
        assert refused.status == 429
        assert refused.headers["X-RateLimit-Remaining"] == "1"
        assert 0 < int(refused.headers["X-RateLimit-Reset"]) - time.time() <= 60
        assert ask(server, request(people[4])).status == 202
        assert server.stats()["accepted"] == 3


@pytest.mark.parametrize(
    ("faults", "status"),
    [(Faults(fail_429=1), 429), (Faults(fail_500=1), 500), (Faults(fail_503=1), 503)],
)
def test_failures_on_request_accept_nothing(faults: Faults, status: int) -> None:
    with running_server(faults=faults) as server:
        answer = ask(server, request(person()))
        assert answer.status == status
        assert fields_of(answer) == [None]
        assert ("X-RateLimit-Reset" in answer.headers) == (status == 429)
        assert server.stats()["accepted"] == 0


@pytest.mark.parametrize(
    ("faults", "accepted"),
    [
        (Faults(cut_before=1), 0),
        (Faults(cut_after=1), 1),
        (Faults(hang=1, hang_seconds=0.05), 0),
    ],
)
def test_lines_are_cut_before_or_after_accepting(faults: Faults, accepted: int) -> None:
    with running_server(faults=faults) as server:
        with pytest.raises(urllib3.exceptions.ProtocolError):
            ask(server, request(person()))
        assert server.stats()["accepted"] == accepted


def test_a_slow_one_still_accepts() -> None:
    with running_server(faults=Faults(slow=1, slow_seconds=0.2)) as server:
        started = time.monotonic()
        assert ask(server, request(person())).status == 202
        assert time.monotonic() - started >= 0.2


def test_the_same_seed_brings_the_same_troubles() -> None:
    def statuses(seed: int) -> list[int]:
        with running_server(seed=seed, faults=Faults(fail_503=0.5)) as server:
            return [ask(server, request(person())).status for _ in range(30)]

    assert statuses(1) == statuses(1)
    assert statuses(1) != statuses(2)
    assert 5 < Counter(statuses(1))[503] < 25


def test_stats_can_be_read_and_faults_changed_while_it_runs(server: SendGridSimulator) -> None:
    assert ask(server, {"fail_503": 1}, "/control").json()["fail_503"] == 1.0
    assert ask(server, request(person())).status == 503
    assert ask(server, {"nonsense": 1}, "/control").status == 400
    stats = urllib3.request("GET", server.url + "/stats").json()
    assert (stats["requests"], stats["status_503"], stats["accepted"]) == (1, 1, 0)


def test_stopped_it_refuses_connections_and_started_again_it_is_where_it_was(
    server: SendGridSimulator,
) -> None:
    url = server.url
    server.stop()
    with pytest.raises(urllib3.exceptions.NewConnectionError):
        ask(server, request(person()))
    server.start()
    assert server.url == url
    assert ask(server, request(person())).status == 202


def test_many_clients_at_once_are_counted_exactly(server: SendGridSimulator) -> None:
    def work(client: int) -> None:
        for number in range(20):
            people = [person(f"p{client}.{number}.{n}@example.com", f"{client}") for n in range(50)]
            assert ask(server, request(*people)).status == 202

    threads = [Thread(target=work, args=(client,)) for client in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert server.accepted_by_delivery == {str(client): 1000 for client in range(8)}
    assert server.stats()["addresses"] == 8000


@dataclass
class Webhook:
    """Where events arrive; refuses the first `refusals` requests."""

    url: str
    public_key: str
    refusals: int = 0
    arrays: list[list[dict[str, Any]]] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def take(self, received: Request) -> Response:
        body = received.get_data()
        key = load_der_public_key(base64.b64decode(self.public_key))
        assert isinstance(key, ec.EllipticCurvePublicKey)
        signature = base64.b64decode(received.headers[SIGNATURE_HEADER])
        signed = received.headers[TIMESTAMP_HEADER].encode() + body
        key.verify(signature, signed, ec.ECDSA(hashes.SHA256()))
        with self.lock:
            if self.refusals:
                self.refusals -= 1
                return Response(status=503)
            self.arrays.append(json.loads(body))
        return Response(status=204)

    def events(self) -> list[dict[str, Any]]:
        return [event for array in self.arrays for event in array]


@pytest.fixture
def webhook(httpserver: HTTPServer) -> Webhook:
    receiver = Webhook(httpserver.url_for(WEBHOOK), SigningKey(1).public)
    httpserver.expect_request(WEBHOOK).respond_with_handler(receiver.take)
    return receiver


def test_events_come_signed_in_arrays_with_our_id_and_ids_of_their_own(webhook: Webhook) -> None:
    with running_server(events_url=webhook.url) as server:
        ask(server, request(person("ana@example.com", "A"), person("bounce@example.com", "B")))
        assert server.events is not None
        server.events.wait_until_posted()
        assert server.stats()["events_posted"] == 4
    assert [(e["event"], e["delivery"], e["email"]) for e in webhook.events()] == [
        ("processed", "A", "ana@example.com"),
        ("delivered", "A", "ana@example.com"),
        ("processed", "B", "bounce@example.com"),
        ("bounce", "B", "bounce@example.com"),
    ]
    assert len({event["sg_event_id"] for event in webhook.events()}) == 4
    assert webhook.events()[3]["type"] == "bounce"


def test_events_that_are_not_taken_come_again(webhook: Webhook) -> None:
    webhook.refusals = 3
    with running_server(events_url=webhook.url, habits=Habits(pause_seconds=0.01)) as server:
        ask(server, request(person()))
        assert server.events is not None
        server.events.wait_until_posted()
        assert server.stats()["events_refused"] == 3
    assert len(webhook.events()) == 2


def test_events_are_repeated_and_shuffled_on_request(webhook: Webhook) -> None:
    habits = Habits(repeated=0.5, out_of_order=True, per_request=40)
    with running_server(events_url=webhook.url, habits=habits) as server:
        ask(server, request(*(person(f"p{n}@example.com", str(n)) for n in range(200))))
        assert server.events is not None
        server.events.wait_until_posted()
    counts = Counter(event["sg_event_id"] for event in webhook.events())
    assert len(counts) == 400
    assert 100 < sum(count == 2 for count in counts.values()) < 300
    assert max(len(array) for array in webhook.arrays) == 40
    kinds = [event["event"] for event in webhook.events() if event["delivery"] == "7"]
    order = [event["delivery"] for event in webhook.events()]
    assert set(kinds) == {"processed", "delivered"}
    assert order != sorted(order, key=int)


def test_what_was_cut_after_accepting_is_reported_and_what_was_cut_before_is_not(
    webhook: Webhook,
) -> None:
    with running_server(events_url=webhook.url) as server:
        server.answers += [Answer(cuts_line=True), Answer(cuts_after=True)]
        for delivery in ("before", "after"):
            with pytest.raises(urllib3.exceptions.ProtocolError):
                ask(server, request(person(delivery=delivery)))
        assert server.events is not None
        server.events.wait_until_posted()
    assert {event["delivery"] for event in webhook.events()} == {"after"}
