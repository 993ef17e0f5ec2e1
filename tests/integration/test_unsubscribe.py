"""One-click unsubscribe (RFC 8058): a POST acts, a GET only asks, a forged link does neither."""

import re
from datetime import UTC, datetime

import pytest
from django.test import Client
from pytest_django import Settings

from notifications.models import Delivery
from notifications.unsubscribe import list_headers, token_of
from tests.factories.deliveries import FakeSource, pending_deliveries
from tests.factories.people import UserFactory

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


@pytest.fixture
def source() -> FakeSource:
    return FakeSource()


@pytest.fixture
def delivery() -> Delivery:
    return Delivery.objects.get(pk=pending_deliveries(1, NOW)[0])


def link(delivery: Delivery) -> str:
    found = re.match(r"<https?://[^/]+(/[^>]+)>, ", list_headers(delivery)["List-Unsubscribe"])
    assert found is not None
    return found[1]


def test_the_headers_are_those_of_rfc_8058(delivery: Delivery, settings: Settings) -> None:
    settings.SITE_URL = "https://marktlotse.example"
    settings.OPERATOR_EMAIL = "post@marktlotse.example"
    token = token_of(delivery)
    assert list_headers(delivery) == {
        "List-Unsubscribe": f"<https://marktlotse.example/mail/unsubscribe/{token}/>, "
        f"<mailto:post@marktlotse.example?subject=unsubscribe%20{token.replace(':', '%3A')}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


def test_looking_at_the_page_changes_nothing(
    client: Client, source: FakeSource, delivery: Delivery
) -> None:
    for response in (client.get(link(delivery)), client.head(link(delivery))):
        assert response.status_code == 200
    page = client.get(link(delivery)).content.decode()
    assert len(re.findall(r'<form method="post">', page)) == 1
    assert source.unsubscribed == []


def test_posting_acts_each_time_alike_without_login_or_csrf_token(
    source: FakeSource, delivery: Delivery
) -> None:
    stranger = Client(enforce_csrf_checks=True)
    for _ in range(2):
        response = stranger.post(link(delivery), {"List-Unsubscribe": "One-Click"})
        assert response.status_code == 200
        assert "You are unsubscribed" in response.content.decode()
    assert source.unsubscribed == [delivery.pk, delivery.pk]


@pytest.mark.parametrize("damage", ["x", "", ":", "a:b"])
def test_a_forged_or_cut_link_does_nothing_and_says_so(
    client: Client, source: FakeSource, delivery: Delivery, damage: str
) -> None:
    token = f"{token_of(delivery)}x" if damage == "x" else (damage or token_of(delivery)[:-1])
    for method in (client.get, client.post):
        response = method(f"/mail/unsubscribe/{token}/")
        assert response.status_code == 404
        assert "This link does not work" in response.content.decode()
    assert source.unsubscribed == []


def test_a_token_of_another_secret_is_refused(
    client: Client, source: FakeSource, delivery: Delivery, settings: Settings
) -> None:
    url = link(delivery)
    settings.SECRET_KEY = "another"
    assert client.post(url).status_code == 404
    assert source.unsubscribed == []


def test_the_link_still_works_when_the_delivery_was_pruned(
    client: Client, source: FakeSource
) -> None:
    person = UserFactory.create()
    Delivery.objects.create(
        idempotency_key="k", kind="fake", address=person.email, user=person, subject_id=5
    )
    delivery = Delivery.objects.get()
    url, pk = link(delivery), delivery.pk
    delivery.delete()
    assert client.post(url).status_code == 200
    assert source.unsubscribed == [pk]


def test_other_methods_are_refused(client: Client, delivery: Delivery) -> None:
    assert client.put(link(delivery)).status_code == 405


def test_pages_are_never_cached(client: Client, delivery: Delivery) -> None:
    assert "no-store" in client.get(link(delivery))["Cache-Control"]
