"""SendGrid's webhook: only signed and fresh reports count; nothing makes it fail."""

import base64
import json
import time
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from notifications.models import DeliveryEvent, EventKind
from notifications.webhooks.requests import MOST_BYTES
from tests.factories.deliveries import FakeSource, dispatching_delivery
from tests.providers.signed_events import (
    PUBLIC_KEY,
    URL,
    event,
    post,
    post_raw,
    send,
    signature_of,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _key(settings: Settings) -> None:
    settings.SENDGRID_WEBHOOK_PUBLIC_KEY = PUBLIC_KEY
    FakeSource()


def signed(body: bytes, **changes: str) -> dict[str, str]:
    timestamp = str(int(time.time()))
    headers = {"signature": signature_of(timestamp, body), "timestamp": timestamp, **changes}
    return {f"x-twilio-email-event-webhook-{name}": value for name, value in headers.items()}


def test_a_signed_report_is_stored() -> None:
    response = post(event(None, "delivered", response="250 OK"), event(None, "open"))
    assert (response.status_code, response.json()) == (200, {"received": 2, "new": 2})
    kinds = DeliveryEvent.objects.order_by("kind").values_list("kind", "address")
    assert list(kinds) == [("delivered", "nobody@example.com"), ("opened", "nobody@example.com")]


def test_an_empty_array_is_fine() -> None:
    assert post().json() == {"received": 0, "new": 0}


def test_the_key_may_come_with_pem_lines(settings: Settings) -> None:
    settings.SENDGRID_WEBHOOK_PUBLIC_KEY = (
        f"-----BEGIN PUBLIC KEY-----\n{PUBLIC_KEY[:64]}\n{PUBLIC_KEY[64:]}\n"
        "-----END PUBLIC KEY-----\n"
    )
    assert post(event(None, "open")).status_code == 200


def test_only_posts_are_answered() -> None:
    for method in ("get", "put", "delete", "head"):
        response = getattr(Client(), method)(URL)
        assert response.status_code == 405
        assert response["Allow"] == "POST"


RSA = base64.b64encode(
    rsa.generate_private_key(65537, 2048)
    .public_key()
    .public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
).decode()


@pytest.mark.parametrize("key", ["", "   ", "no key", "AAAA", "ü", RSA])
def test_without_a_usable_key_the_report_must_come_again(settings: Settings, key: str) -> None:
    settings.SENDGRID_WEBHOOK_PUBLIC_KEY = key
    response = post(event(None, "open"))
    assert response.status_code == 503
    assert "SENDGRID_WEBHOOK_PUBLIC_KEY" in response.json()["error"]
    assert DeliveryEvent.objects.count() == 0


BODY = json.dumps([event(None, "open")]).encode()
NOW = int(time.time())
OTHER_KEY = ec.generate_private_key(ec.SECP256R1())
FORGERIES: dict[str, tuple[int, dict[str, str]]] = {
    "no signature": (400, {"signature": ""}),
    "no timestamp": (400, {"timestamp": ""}),
    "a timestamp that is no number": (400, {"timestamp": "soon"}),
    "a timestamp in other digits": (400, {"timestamp": "١٢٣"}),
    "a timestamp beyond time": (400, {"timestamp": "9" * 300}),
    "a negative timestamp": (400, {"timestamp": "-5"}),
    "a signature that is no base64": (400, {"signature": "%%%"}),
    "a signature that is not ASCII": (400, {"signature": "ü"}),
    "a signature that is none": (403, {"signature": "AAAA"}),
    "an endless signature": (403, {"signature": "A" * 5000}),
    "another key's signature": (403, {"signature": signature_of(str(NOW), BODY, OTHER_KEY)}),
    "another time's signature": (403, {"signature": signature_of(str(NOW - 1000), BODY)}),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_report_is_refused_with_a_reason(name: str) -> None:
    status, changes = FORGERIES[name]
    response = send(BODY, signed(BODY, **changes))
    assert response.status_code == status
    assert response.json()["error"]
    assert DeliveryEvent.objects.count() == 0


def test_a_body_that_was_changed_is_refused() -> None:
    assert send(BODY.replace(b"open", b"opem"), signed(BODY)).status_code == 403


@pytest.mark.parametrize("seconds", [-172_860, 660, 3600])
def test_a_report_that_is_not_fresh_is_refused(seconds: int) -> None:
    response = post_raw(BODY, time.time() + seconds)
    assert response.status_code == 403
    assert "not of this moment" in response.json()["error"]


@pytest.mark.parametrize("seconds", [-540, 540])
def test_a_clock_may_be_a_little_wrong(seconds: int) -> None:
    assert post_raw(BODY, time.time() + seconds).status_code == 200


def test_a_retry_of_the_last_hour_with_its_first_signature_is_stored_once() -> None:
    signed_at = time.time() - 24 * 3600
    news = [post_raw(BODY, signed_at).json()["new"] for _ in range(2)]
    assert news == [1, 0]
    assert DeliveryEvent.objects.count() == 1


@pytest.mark.parametrize(("hours", "status"), [(1, 403), (3, 200)])
def test_an_operator_says_how_old_a_report_may_be(
    settings: Settings, hours: int, status: int
) -> None:
    settings.SENDGRID_WEBHOOK_FRESH_HOURS = hours
    assert post_raw(BODY, time.time() - 2 * 3600).status_code == status


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"null", b"{}", b'"text"', b"7", b"\xff\xfe", b"[1]", b"[[]]", b"[null]",
        b'[{"event": "open"}, "x"]', b"[" * 100_000, b"[1" + b"0" * 5000 + b"]",
        b"[" + b"{}," * 10_000 + b"{}]",
    ],
    ids=range(14),
)  # fmt: skip
def test_a_malformed_body_is_refused_with_a_reason_and_stores_nothing(body: bytes) -> None:
    response = post_raw(body)
    assert response.status_code == 400
    assert response.json()["error"]
    assert DeliveryEvent.objects.count() == 0


def test_a_huge_body_is_refused_unread() -> None:
    assert post_raw(b"[" + b" " * MOST_BYTES + b"]").status_code == 413


ODD: list[dict[str, Any]] = [
    {},
    {"event": None, "sg_event_id": None, "email": None, "timestamp": None, "delivery": None},
    {"event": ["open"], "sg_event_id": {"a": 1}, "email": ["a@example.com"], "timestamp": []},
    {"event": 7, "sg_event_id": 7, "email": 7, "timestamp": "7", "delivery": 7},
    {"event": True, "sg_event_id": True, "timestamp": float("inf")},
    {"event": "open", "sg_event_id": "nan", "timestamp": float("nan")},
    {"event": "op\x00en", "sg_event_id": "nul\x00", "email": "a\x00@example.com"},
    {"event": "open", "sg_event_id": "half\ud800", "email": "\ud800", "delivery": "\ud800"},
    {"event": "open", "sg_event_id": "k" * 5000, "email": "a" * 5000, "reason": "r" * 50_000},
    {"event": "open", "sg_event_id": "early", "timestamp": -(10**30)},
    {"event": "open", "sg_event_id": "late", "timestamp": 10**30},
    {"event": "open", "sg_event_id": "deep", "x": [[[[[[[[[["x"]]]]]]]]]]},
    {"event": "open", "sg_event_id": "wide", **{f"k{n}": n for n in range(500)}},
    {"event": "open", "sg_event_id": "big", "x": 10**400, "y": "\x00", "\x00z": '"{,}\\'},
    {"event": "bounce", "sg_event_id": "odd bounce", "type": 5, "status": [], "email": "x"},
    {"event": "dropped", "sg_event_id": "odd drop", "reason": {"a": "Bounced Address"}},
    {"event": "bounce", "sg_event_id": "l", "type": "bounce", "email": "l" * 300 + "@x.example"},
    {"event": "spamreport", "sg_event_id": "empty", "email": ""},
]


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_odd_events_are_kept_and_fail_nothing(odd: dict[str, Any]) -> None:
    response = post(odd, event(None, "open"))
    assert (response.status_code, response.json()["new"]) == (200, 2)
    assert max(len(json.dumps(row.raw)) for row in DeliveryEvent.objects.all()) < 25_000
    assert post(odd).json()["new"] == 0


def test_words_we_do_not_know_are_kept_as_unknown() -> None:
    post(event(None, "teleported", planet="Mars"))
    row = DeliveryEvent.objects.get()
    assert (row.kind, row.raw["event"], row.raw["planet"]) == ("unknown", "teleported", "Mars")


def test_where_somebody_reads_is_not_kept() -> None:
    post(event(None, "open", ip="192.0.2.7", useragent="Phone"))
    assert {"ip", "useragent"}.isdisjoint(DeliveryEvent.objects.get().raw)


def test_our_own_failure_is_a_503_so_that_it_comes_again() -> None:
    with connection.execute_wrapper(_database_is_away):
        response = post(event(None, "open"))
    assert response.status_code == 503
    assert DeliveryEvent.objects.count() == 0
    assert post(event(None, "open")).status_code == 200


def _database_is_away(execute: Any, sql: str, *rest: Any) -> Any:
    if "notifications_deliveryevent" in sql:
        raise OperationalError("the server closed the connection")
    return execute(sql, *rest)


def _thousand(size: int, now: Any) -> list[dict[str, Any]]:
    words = ("processed", "delivered", "open", "click", "deferred", "dropped", "bounce",
             "spamreport", "unsubscribe", "group_unsubscribe")  # fmt: skip
    events = []
    for number in range(size):
        delivery = dispatching_delivery(now, key=f"n{number}", provider="sendgrid")
        extra = {"type": "bounce", "reason": "Bounced Address"}
        events.append(event(delivery, words[number % len(words)], **extra))
    return events


def test_a_thousand_events_cost_the_queries_of_ten() -> None:
    events = _thousand(1010, timezone.now())
    counts = []
    for batch in (events[:10], events[10:]):
        with CaptureQueriesContext(connection) as queries:
            assert post(*batch).json()["new"] == len(batch)
        counts.append(len(queries))
    assert counts[0] == counts[1]
    assert counts[0] <= 16
    assert DeliveryEvent.objects.exclude(kind=EventKind.UNKNOWN).count() == 1010
