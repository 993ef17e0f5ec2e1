"""Twilio's status callback: signed over the address that Twilio sees, and the form's fields."""

import base64
import hmac
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from pytest_django import Settings
from twilio.request_validator import RequestValidator

from notifications import ledger
from notifications.models import Delivery, DeliveryEvent, State
from notifications.providers.opaque_ids import opaque_id
from tests.factories.deliveries import FakeSource, new

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC)
TOKEN = "a token of the test"
SITE = "https://marktlotse.example"
URL = "/webhooks/twilio/"
FORM = "application/x-www-form-urlencoded"


@pytest.fixture(autouse=True)
def source(settings: Settings) -> FakeSource:
    settings.TWILIO_AUTH_TOKEN = TOKEN
    settings.SITE_URL = SITE
    return FakeSource()


@pytest.fixture
def delivery() -> Delivery:
    row = new("sms", NOW, address="+4915112345678", channel="sms")
    [pk] = ledger.open_deliveries([row]).values()
    Delivery.objects.filter(pk=pk).update(state=State.UNCERTAIN, dispatched_at=NOW)
    return Delivery.objects.get()


def callback(delivery: Delivery, status: str, **fields: str) -> dict[str, str]:
    values = {"MessageSid": "SM1", "MessageStatus": status, "To": delivery.address}
    return {**values, **fields}


def post(url: str, fields: dict[str, str], signature: str | None = None, **options: Any) -> Any:
    if signature is None:
        signature = RequestValidator(TOKEN).compute_signature(SITE + url, fields)
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    options = {"content_type": FORM, **options}
    headers = {"x-twilio-signature": signature}
    return client.post(url, urlencode(fields), headers=headers, **options)


def test_twilios_own_signature_is_accepted_and_the_delivery_settled(delivery: Delivery) -> None:
    url = f"{URL}?delivery={opaque_id(delivery.pk)}"
    response = post(url, callback(delivery, "delivered"))
    assert (response.status_code, response.json()) == (200, {"received": 1, "new": 1})
    delivery.refresh_from_db()
    assert (delivery.state, delivery.last_event) == ("sent", "delivered")
    assert delivery.provider_message_id == "SM1"
    assert post(url, callback(delivery, "delivered")).json()["new"] == 0
    assert post(url, callback(delivery, "sent")).json()["new"] == 1
    delivery.refresh_from_db()
    assert delivery.last_event == "delivered"


def test_the_signature_is_hmac_sha1_over_address_and_sorted_fields(delivery: Delivery) -> None:
    fields = callback(delivery, "queued", Body="zz", A="ä")
    signed = SITE + URL + "".join(name + fields[name] for name in sorted(fields))
    digest = hmac.digest(TOKEN.encode(), signed.encode(), "sha1")
    assert post(URL, fields, base64.b64encode(digest).decode()).status_code == 200


@pytest.mark.parametrize(
    ("signature", "status"), [("", 400), ("AAAA", 403), ("ü", 403), ("A" * 9999, 403)]
)
def test_a_forged_callback_is_refused_with_a_reason(
    delivery: Delivery, signature: str, status: int
) -> None:
    response = post(URL, callback(delivery, "delivered"), signature)
    assert response.status_code == status
    assert response.json()["error"]
    assert DeliveryEvent.objects.count() == 0


def test_a_signature_of_another_address_is_refused(delivery: Delivery) -> None:
    fields = callback(delivery, "delivered")
    signature = RequestValidator(TOKEN).compute_signature(SITE + URL, fields)
    assert post(f"{URL}?delivery={opaque_id(delivery.pk)}", fields, signature).status_code == 403


def test_without_a_token_the_callback_must_come_again(
    delivery: Delivery, settings: Settings
) -> None:
    settings.TWILIO_AUTH_TOKEN = ""
    assert post(URL, callback(delivery, "delivered"), "AAAA").status_code == 503


def test_malformed_callbacks_are_refused(delivery: Delivery) -> None:
    assert post(URL, {"To": "+49"}).status_code == 400
    many = {f"k{number}": "" for number in range(2000)}
    assert post(URL, many).status_code == 400
    assert post(URL, {}, content_type="application/json").status_code == 415
    assert Client().get(URL).status_code == 405
    odd = callback(delivery, "x\x00" * 999, MessageSid="\x00" + "k" * 5000, To="\x00")
    assert post(URL, odd).status_code == 200


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        ("undelivered", "30003", "soft_bounced"),
        ("undelivered", "30005", "bounced"),
        ("failed", "21610", "unsubscribed"),
        ("failed", "", "soft_bounced"),
        ("read", "", "opened"),
        ("sending", "", "accepted"),
        ("teleported", "", "unknown"),
    ],
)
def test_words_and_codes_become_our_kinds(
    delivery: Delivery, source: FakeSource, status: str, code: str, kind: str
) -> None:
    url = f"{URL}?delivery={opaque_id(delivery.pk)}"
    assert post(url, callback(delivery, status, ErrorCode=code)).status_code == 200
    assert DeliveryEvent.objects.get().kind == kind
    assert source.unsubscribed == ([delivery.pk] if kind == "unsubscribed" else [])
