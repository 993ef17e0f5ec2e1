"""Many messages in one request: grouping, halving what is refused, and the outcomes of all."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import redis
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from config.celery import app
from notifications import dispatching, ledger, sending
from notifications.limiter.server import server
from notifications.messages import Message
from notifications.models import Delivery, DispatchLimits, ProviderQuota
from tests.factories.deliveries import FakeSource, new, pending_deliveries
from tests.providers.sendgrid_simulator import SendGridSimulator
from tests.providers.simulator import Answer

pytestmark = pytest.mark.django_db(transaction=True)
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
BAD = [f"fake.{number}@example.com" for number in (17, 244, 391)]


def same_for_all(delivery: Delivery) -> Message:
    return Message(to=delivery.address, subject="Offer", text="The same for all")


@pytest.fixture(autouse=True)
def source() -> FakeSource:
    one = FakeSource()
    one.compose_one = same_for_all
    return one


@pytest.fixture
def sendgrid(settings: Settings) -> Iterator[SendGridSimulator]:
    with SendGridSimulator(bad_addresses=BAD) as simulator:
        settings.SENDGRID_API_HOST, settings.EMAIL_PROVIDER = simulator.url, "sendgrid"
        yield simulator


def send(ids: list[int], now: datetime = NOW) -> int:
    return sending.send_batch(ids, clock=lambda: now)


def rows(*fields: str) -> list[Any]:
    return list(Delivery.objects.order_by("pk").values_list(*fields, flat=len(fields) == 1))


def sizes(sendgrid: SendGridSimulator) -> list[int]:
    return [len(request["personalizations"]) for request in sendgrid.requests]


def test_messages_that_share_a_body_are_one_request(sendgrid: SendGridSimulator) -> None:
    ids = pending_deliveries(16, NOW)
    assert send(ids) == 16
    assert sizes(sendgrid) == [16]
    assert rows("state", "attempts", "provider_message_id") == [("sent", 1, "message-1")] * 16


def test_one_address_is_never_twice_in_a_request(sendgrid: SendGridSimulator) -> None:
    twice = [new(f"key:{n}", NOW, address=address) for n, address in enumerate(
        ["a@example.com", "b@example.com", "A@example.com"])]  # fmt: skip
    assert send(sorted(ledger.open_deliveries(twice).values())) == 3
    assert sorted(sizes(sendgrid)) == [1, 2]


def test_five_hundred_with_three_bad_addresses_take_about_thirty_requests(
    sendgrid: SendGridSimulator, source: FakeSource
) -> None:
    ids = pending_deliveries(500, NOW)
    assert send(ids) == 497
    assert len(sendgrid.requests) <= 34
    dead = Delivery.objects.filter(state="dead").order_by("pk")
    assert [delivery.address for delivery in dead] == BAD
    for delivery in dead:
        assert (delivery.reason, delivery.attempts) == ("refused", 1)
        assert "Does not contain a valid address." in delivery.last_answer
    assert set(Delivery.objects.filter(state="sent").values_list("attempts", flat=True)) == {1}
    assert max(sendgrid.accepted_by_address.values()) == 1
    assert sorted(source.released) == [delivery.pk for delivery in dead]


def test_a_worker_that_dies_while_halving_leaves_no_doubt(sendgrid: SendGridSimulator) -> None:
    seen: list[dict[str, int]] = []

    def look_from_outside(request: dict[str, Any]) -> None:
        with closing(connection.copy()) as other, other.cursor() as cursor:
            cursor.execute("SELECT state, count(*) FROM notifications_delivery GROUP BY state")
            seen.append(dict(cursor.fetchall()))

    sendgrid.on_request = look_from_outside
    send(pending_deliveries(20, NOW))
    # Only those in the request of this moment are in doubt; number 17 is the refused one.
    assert seen[:3] == [
        {"dispatching": 20},
        {"claimed": 10, "dispatching": 10},
        {"sent": 10, "claimed": 5, "dispatching": 5},
    ]


@pytest.mark.parametrize(
    ("answer", "state", "attempts"),
    [
        (Answer(429), "pending", 0),
        (Answer(503), "pending", 1),
        (Answer(401), "pending", 0),
        (Answer(cuts_line=True), "uncertain", 1),
        (Answer(502), "uncertain", 1),
    ],
)
def test_every_other_outcome_is_true_of_the_whole_request(
    sendgrid: SendGridSimulator, answer: Answer, state: str, attempts: int
) -> None:
    sendgrid.answers = [answer]
    assert send(pending_deliveries(8, NOW)) == 0
    assert rows("state", "attempts") == [(state, attempts)] * 8
    assert sizes(sendgrid) == [8]


def test_a_request_that_fails_spreads_its_next_attempts(sendgrid: SendGridSimulator) -> None:
    sendgrid.answers = [Answer(503)]
    send(pending_deliveries(16, NOW))
    assert len(set(rows("next_attempt_at"))) == 16


def test_a_quota_smaller_than_the_batch_cuts_it_into_requests(sendgrid: SendGridSimulator) -> None:
    DispatchLimits.objects.create(account_share_percent=0)
    ProviderQuota.objects.create(provider="sendgrid", per_second=10)
    server().hset("limit:{sendgrid}:second", mapping={"used": 0, "oldest": 0})
    assert send(pending_deliveries(16, NOW)) == 16
    assert sizes(sendgrid)[0] == 10
    assert sum(sizes(sendgrid)) == 16


def test_a_long_wait_for_the_quota_is_spent_in_the_ledger(sendgrid: SendGridSimulator) -> None:
    DispatchLimits.objects.create(account_share_percent=0)
    ProviderQuota.objects.create(provider="sendgrid", per_minute=10)
    server().hset("limit:{sendgrid}:minute", mapping={"used": 0, "oldest": 0})
    assert send(pending_deliveries(16, NOW)) == 10
    waiting = Delivery.objects.filter(state="pending")
    assert {(row.attempts, row.enqueued_at) for row in waiting} == {(0, None)}
    assert min(row.next_attempt_at for row in waiting) > NOW + timedelta(seconds=59)


def test_account_mails_go_first_and_alone_and_use_their_share(
    sendgrid: SendGridSimulator,
) -> None:
    account = FakeSource("account")
    account.compose_one = same_for_all
    DispatchLimits.objects.create(account_share_percent=50)
    ProviderQuota.objects.create(provider="sendgrid", per_minute=10)
    server().hset("limit:{sendgrid}:minute", mapping={"used": 0, "oldest": 0})
    ids = [*pending_deliveries(8, NOW), *pending_deliveries(4, NOW, "account")]
    assert send(ids) == 5
    assert sendgrid.addresses()[:4] == [f"account.{n}@example.com" for n in range(4)]
    assert sizes(sendgrid) == [4, 1]


def test_a_batch_that_has_had_its_turn_goes_to_the_end_of_its_queue(
    sendgrid: SendGridSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = redis.Redis.from_url(app.conf.broker_url)
    broker.delete("mail", "account")
    FakeSource("account").compose_one = same_for_all
    monkeypatch.setattr(dispatching, "TURN_SECONDS", 0)
    ids = [*pending_deliveries(3, NOW), *pending_deliveries(2, NOW, "account")]
    assert send(ids) == 0
    assert (
        rows("state", "attempts", "next_attempt_at", "enqueued_at")
        == [("pending", 0, NOW, NOW)] * 5
    )
    assert [broker.llen("account"), broker.llen("mail")] == [1, 1]
    broker.delete("mail", "account")


def queries_for(count: int) -> int:
    ids = pending_deliveries(count, NOW, f"fake{count}")
    FakeSource(f"fake{count}").compose_one = same_for_all
    with CaptureQueriesContext(connection) as queries:
        assert send(ids) == count
    return len(queries)


def test_queries_do_not_depend_on_the_size_of_a_request(sendgrid: SendGridSimulator) -> None:
    DispatchLimits.current()
    ProviderQuota.of("sendgrid")
    assert queries_for(200) == queries_for(3)
