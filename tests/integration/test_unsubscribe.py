"""One-click unsubscribe (RFC 8058): a POST acts, a GET only asks, a forged link does neither."""

import re
from datetime import UTC, datetime

import pytest
from django.test import Client
from pytest_django import Settings

from marketplace.models import User
from notifications.models import Delivery
from notifications.unsubscribe import list_headers
from notifications.unsubscribe_tokens import token_of
from tests.factories.deliveries import FakeSource, pending_deliveries
from tests.factories.people import UserFactory

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


@pytest.fixture
def source() -> FakeSource:
    return FakeSource()


@pytest.fixture
def delivery(source: FakeSource) -> Delivery:
    return Delivery.objects.get(pk=pending_deliveries(1, NOW)[0])


@pytest.fixture
def person() -> User:
    return UserFactory.create(email="Mia@example.com", language="de")


def delivery_to(person: User) -> Delivery:
    return Delivery.objects.create(
        idempotency_key="k", kind="fake", address="mia@example.com", user=person, subject_id=5
    )


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
        f"<mailto:post@marktlotse.example?subject=unsubscribe%20{token}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


def test_the_token_is_always_the_same_and_tells_nothing(delivery: Delivery) -> None:
    token = token_of(delivery)
    assert token == token_of(Delivery.objects.get())
    assert re.fullmatch(r"[\w-]{40,200}", token)
    other = token_of(Delivery(pk=delivery.pk + 1, kind="fake", address=delivery.address))
    assert len({token[start : start + 6] for start in range(0, len(token), 6)}) > 5
    assert token[:10] != other[:10]


def test_looking_at_the_page_changes_nothing(
    client: Client, source: FakeSource, delivery: Delivery
) -> None:
    for scope in ("", "all/"):
        for response in (client.get(link(delivery) + scope), client.head(link(delivery) + scope)):
            assert response.status_code == 200
    assert source.unsubscribed == []


def test_the_page_asks_for_the_scope_of_its_link_and_offers_the_others(
    client: Client, source: FakeSource, delivery: Delivery
) -> None:
    page = client.get(link(delivery)).content.decode()
    assert re.findall(r'<form method="post" action="([^"]+)">', page)[-2:] == [
        f"{link(delivery)}these/",
        f"{link(delivery)}all/",
    ]
    assert "this kind of mail</strong>" in page
    page = client.get(link(delivery) + "all/").content.decode()
    assert "all mail</strong>" in page
    assert f"{link(delivery)}these/" in page


def test_posting_acts_each_time_alike_without_login_or_csrf_token(
    source: FakeSource, delivery: Delivery
) -> None:
    stranger = Client(enforce_csrf_checks=True)
    for _ in range(2):
        response = stranger.post(link(delivery), {"List-Unsubscribe": "One-Click"})
        assert response.status_code == 200
        assert "You are unsubscribed" in response.content.decode()
    assert source.unsubscribed == [delivery.pk, delivery.pk]
    assert source.scopes_left == ["these", "these"]


def test_each_scope_has_a_link_of_its_own(source: FakeSource, delivery: Delivery) -> None:
    assert Client().post(link(delivery) + "all/").status_code == 200
    assert source.scopes_left == ["all"]
    assert Client().get(link(delivery) + "nothing-of-ours/").status_code == 404


@pytest.mark.parametrize("damage", ["x", "", ":", "a:b", "ä", "A" * 1000, "=="])
def test_a_forged_or_cut_link_does_nothing_and_says_so(
    client: Client, source: FakeSource, delivery: Delivery, damage: str
) -> None:
    token = f"{token_of(delivery)}x" if damage == "x" else (damage or token_of(delivery)[:-1])
    for method in (client.get, client.post):
        response = method(f"/mail/unsubscribe/{token}/")
        assert response.status_code == 404
        assert "This link does not work" in response.content.decode()
    assert source.unsubscribed == []


def test_no_character_of_a_token_can_be_changed(
    client: Client, source: FakeSource, delivery: Delivery
) -> None:
    token = token_of(delivery)
    for position in range(len(token)):
        other = "A" if token[position] != "A" else "B"
        changed = token[:position] + other + token[position + 1 :]
        assert client.post(f"/mail/unsubscribe/{changed}/").status_code == 404
    assert source.unsubscribed == []


def test_a_token_of_another_secret_is_refused_and_one_of_the_secret_before_works(
    client: Client, source: FakeSource, delivery: Delivery, settings: Settings
) -> None:
    url, former = link(delivery), settings.SECRET_KEY
    settings.SECRET_KEY = "another"
    assert client.post(url).status_code == 404
    assert source.unsubscribed == []
    settings.SECRET_KEY_FALLBACKS = [former]
    assert client.post(url).status_code == 200
    assert source.unsubscribed == [delivery.pk]


def test_the_link_still_works_when_the_delivery_was_pruned(
    client: Client, source: FakeSource, person: User
) -> None:
    delivery = delivery_to(person)
    url, pk = link(delivery), delivery.pk
    delivery.delete()
    assert client.post(url).status_code == 200
    assert source.unsubscribed == [pk]


@pytest.mark.parametrize("is_pruned", [False, True])
def test_an_old_mailbox_does_not_act_for_the_person_who_left_it(
    client: Client, source: FakeSource, person: User, is_pruned: bool
) -> None:
    delivery = delivery_to(person)
    url = link(delivery)
    person.email, person.language = "mia@elsewhere.example", "en"
    person.save()
    UserFactory.create(email="mia@example.com")
    if is_pruned:
        delivery.delete()
    response = client.post(url)
    assert response.status_code == 200
    assert "There is nothing left to switch off." in response.content.decode()
    assert source.unsubscribed == []


def test_the_account_is_gone_the_answer_is_friendly(
    client: Client, source: FakeSource, person: User
) -> None:
    url = link(delivery_to(person))
    person.delete()
    for response in (client.get(url), client.post(url)):
        assert response.status_code == 200


def test_the_page_speaks_the_recipients_language(
    client: Client, source: FakeSource, person: User
) -> None:
    response = client.get(link(delivery_to(person)), headers={"accept-language": "hr"})
    assert '<html lang="de">' in response.content.decode()
    assert response["Content-Language"] == "de"


def test_other_methods_are_refused(client: Client, delivery: Delivery) -> None:
    assert client.put(link(delivery)).status_code == 405


def test_pages_are_never_cached_and_tell_no_other_site_where_they_were(
    client: Client, delivery: Delivery
) -> None:
    response = client.get(link(delivery))
    assert "no-store" in response["Cache-Control"]
    assert response["Referrer-Policy"] == "no-referrer"
