"""Many recipients in one request to SendGrid: who may stand together, and what each one gets."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django import Settings

from notifications.messages import Message
from notifications.providers import get_provider, sendgrid_request
from notifications.providers.base import Accepted, Pair, Permanent
from notifications.providers.opaque_ids import opaque_id
from tests.providers.sendgrid_simulator import SendGridSimulator, running_server


@pytest.fixture
def server(settings: Settings) -> Iterator[SendGridSimulator]:
    with running_server() as state:
        settings.SENDGRID_API_HOST, settings.SENDGRID_API_KEY = state.url, "SG.key"
        settings.EMAIL_PROVIDER = "sendgrid"
        yield state


def promo(number: int, **fields: Any) -> Pair:
    plain: dict[str, Any] = {
        "to": f"person{number}@example.com",
        "to_name": f"Person {number}",
        "subject": "A code for you",
        "text": "Your code: -code-",
        "html": "<p>Your code: -code-</p>",
        "headers": {"List-Unsubscribe": f"<https://example.com/u/{number}>"},
        "category": "campaign",
        "substitutions": {"-code-": f"CODE{number}"},
    }
    return number, Message(**{**plain, **fields})


def ids(pairs: list[Pair]) -> list[int]:
    return [number for number, _message in pairs]


def batches(pairs: list[Pair]) -> list[list[int]]:
    with get_provider("sendgrid") as provider:
        return [ids(batch) for batch in provider.batches(pairs)]


def test_a_thousand_with_the_same_body_are_one_request_and_nobody_sees_another(
    server: SendGridSimulator,
) -> None:
    pairs = [promo(number) for number in range(1, 2402)]
    with get_provider() as provider:
        outcomes = [provider.send_many(batch) for batch in provider.batches(pairs)]
    assert outcomes == [Accepted(f"message-{number}") for number in (1, 2, 3)]
    assert [len(request["personalizations"]) for request in server.requests] == [1000, 1000, 401]
    assert server.stats()["shown_to_others"] == 0
    assert server.accepted_by_delivery == {opaque_id(number): 1 for number in range(1, 2402)}


def test_each_recipient_has_an_id_a_code_and_list_headers_of_their_own(
    server: SendGridSimulator,
) -> None:
    with get_provider() as provider:
        provider.send_many([promo(1), promo(2)])
    [request] = server.requests
    assert request["personalizations"] == [
        {
            "to": [{"email": f"person{number}@example.com", "name": f"Person {number}"}],
            "custom_args": {"delivery": opaque_id(number)},
            "headers": {"List-Unsubscribe": f"<https://example.com/u/{number}>"},
            "substitutions": {"-code-": f"CODE{number}"},
        }
        for number in (1, 2)
    ]
    assert request["content"][0] == {"type": "text/plain", "value": "Your code: -code-"}
    assert request["categories"] == ["campaign"]
    assert request["tracking_settings"] == {"subscription_tracking": {"enable": False}}
    assert "mail_settings" not in request


def test_different_bodies_never_stand_together_even_when_they_alternate() -> None:
    pairs = [promo(n, subject=("Ein Code", "A code")[n % 2]) for n in range(1, 7)]
    assert batches(pairs) == [[1, 3, 5], [2, 4, 6]]


def test_one_address_stands_only_once_in_a_request_in_any_letter_case(
    server: SendGridSimulator,
) -> None:
    twice = [
        promo(1),
        promo(2, to="PERSON1@Example.com"),
        promo(3),
        promo(4, to="person1@EXAMPLE.com"),
    ]
    assert batches(twice) == [[1, 3], [2], [4]]
    with get_provider() as provider:
        assert isinstance(provider.send_many(twice), Permanent)
        outcomes = [type(provider.send_many(batch)) for batch in provider.batches(twice)]
    assert outcomes == [Accepted] * 3


def test_a_request_stays_below_the_api_s_size(monkeypatch: pytest.MonkeyPatch) -> None:
    body = "x" * 100_000
    assert batches([promo(n, html=body) for n in range(1, 1001)]) == [list(range(1, 1001))]
    monkeypatch.setattr(sendgrid_request, "MAX_REQUEST_BYTES", 640_000)
    pairs = [promo(n, html="ä" * 100_000, to_name="Žana" * 30) for n in range(1, 50)]
    with get_provider("sendgrid") as provider:
        requests = list(provider.batches(pairs))
    assert [pair for request in requests for pair in request] == pairs
    sizes = [len(json.dumps(sendgrid_request.payload(request))) for request in requests]
    assert 600_000 < min(sizes) < max(sizes) < 640_000


def test_a_thousand_with_the_largest_substitutions_are_still_taken(
    server: SendGridSimulator,
) -> None:
    emojis = "\N{PARTY POPPER}" * 2400
    pairs = [promo(n, substitutions={"-code-": emojis}) for n in range(1, 1001)]
    with get_provider() as provider:
        outcomes = {type(provider.send_many(batch)) for batch in provider.batches(pairs)}
    assert outcomes == {Accepted}
    assert server.stats()["deliveries"] == 1000
    assert len(server.requests) == 2


def test_who_has_more_substitutions_than_the_api_takes_gets_a_request_of_their_own(
    server: SendGridSimulator,
) -> None:
    pairs = [promo(1), promo(2, substitutions={"-code-": "ä" * 5001}), promo(3)]
    with get_provider() as provider:
        outcomes = [type(provider.send_many(batch)) for batch in provider.batches(pairs)]
    assert outcomes == [Accepted, Accepted]
    assert [len(request["personalizations"]) for request in server.requests] == [2, 1]
    assert server.requests[1]["content"][0]["value"] == "Your code: " + "ä" * 5001


def test_one_bad_address_refuses_the_whole_request_and_nobody_is_written_to(
    server: SendGridSimulator,
) -> None:
    server.bad_addresses = {"person2@example.com"}
    with get_provider() as provider:
        answer = provider.send_many([promo(1), promo(2), promo(3)])
    assert answer == Permanent(
        "400 Does not contain a valid address. (personalizations.1.to.0.email)"
    )
    assert server.stats()["accepted"] == 0


def test_the_sandbox_checks_and_delivers_nothing(
    server: SendGridSimulator, settings: Settings
) -> None:
    settings.SENDGRID_SANDBOX = True
    with get_provider() as provider:
        assert provider.send_many([promo(1), promo(2)]) == Accepted("")
    assert server.requests[0]["mail_settings"] == {"sandbox_mode": {"enable": True}}
    assert (server.stats()["sandboxed"], server.stats()["accepted"]) == (2, 0)


def test_header_values_and_domains_with_umlauts_are_written_as_mail_knows_them(
    server: SendGridSimulator,
) -> None:
    headers = {"X-Note": "Grüße", "List-Unsubscribe": f"<https://example.com/{'u' * 1000}>"}
    with get_provider() as provider:
        assert isinstance(
            provider.send(*promo(1, to="ana@müller.example", headers=headers)), Accepted
        )
    [person] = server.requests[0]["personalizations"]
    assert person["to"][0]["email"] == "ana@xn--mller-kva.example"
    assert person["headers"] == {
        "X-Note": "=?utf-8?b?R3LDvMOfZQ==?=",
        "List-Unsubscribe": headers["List-Unsubscribe"],
    }


def test_providers_that_take_one_message_make_one_batch_of_each() -> None:
    with get_provider("outbox") as provider:
        assert [ids(batch) for batch in provider.batches([promo(1), promo(2)])] == [[1], [2]]
        assert isinstance(provider.send_many([promo(1)]), Accepted)
