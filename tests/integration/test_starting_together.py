"""Deliveries that are started in one commit and handed over one by one."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg2
import pytest
from django.db import OperationalError, connection
from pytest_django import Settings

from notifications import ledger, sending, starting, witnesses
from notifications.limiter.server import server
from notifications.models import Delivery, DispatchLimits
from notifications.sent_marks import SentMarks, write
from notifications.sweep import sweep
from tests import own_processes
from tests.factories.deliveries import FakeSource, dispatching_delivery, pending_deliveries
from tests.outages import OwnRedis
from tests.providers.sendgrid_simulator import SendGridSimulator, running_server
from tests.providers.simulator import Answer

pytestmark = pytest.mark.django_db(transaction=True)
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
LATER = NOW + timedelta(minutes=6)


@pytest.fixture(autouse=True)
def source() -> FakeSource:
    return FakeSource()


@pytest.fixture(autouse=True)
def _no_marks() -> None:
    """Those of other tests' installations do not count, but they are not "no mark" either."""
    for key in server().scan_iter("sent:*", count=1000):
        server().delete(key)


@pytest.fixture
def sendgrid(settings: Settings) -> Iterator[SendGridSimulator]:
    with running_server() as simulator:
        settings.SENDGRID_API_HOST, settings.EMAIL_PROVIDER = simulator.url, "sendgrid"
        yield simulator


def send(ids: list[int], now: datetime = NOW) -> int:
    return sending.send_batch(ids, clock=lambda: now)


def rows(*fields: str) -> list[Any]:
    return list(Delivery.objects.order_by("pk").values_list(*fields, flat=len(fields) == 1))


def started_delivery(provider: str = "sendgrid") -> Delivery:
    """Started by a worker that has written its witness, and has not come to this one."""
    delivery = dispatching_delivery(NOW, provider=provider)
    delivery.dispatched_at = NOW
    write([witness_of(delivery)])
    return delivery


def witness_of(delivery: Delivery, **changes: Any) -> witnesses.Entry:
    told = {"at": NOW, "memory": witnesses.memory_of_redis(), "limits": DispatchLimits.current()}
    values: dict[str, Any] = {**told, **changes}
    return witnesses.entry(delivery.lease_token, **values)


def swept() -> tuple[str, int]:
    sweep(now=LATER)
    row = Delivery.objects.get()
    return row.state, row.attempts


def test_each_chunk_is_twice_as_large_as_the_one_before_up_to_the_most(
    sendgrid: SendGridSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "MOST_TOGETHER", 5)
    monkeypatch.setattr(starting, "CHUNK_SECONDS", 60)
    seen: list[tuple[int, int]] = []

    def look_from_outside(request: dict[str, Any]) -> None:
        with closing(connection.copy()) as other, other.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FILTER (WHERE state = 'dispatching'), "
                "count(*) FILTER (WHERE state = 'sent') FROM notifications_delivery"
            )
            seen.append(cursor.fetchone())

    sendgrid.on_request = look_from_outside
    assert send(pending_deliveries(14, NOW)) == 14
    assert seen == [(1, 0), *[(2, 1)] * 2, *[(4, 3)] * 4, *[(5, 7)] * 5, *[(2, 12)] * 2]


def test_what_a_slow_provider_takes_is_recorded_one_by_one(
    sendgrid: SendGridSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "CHUNK_SECONDS", 0)
    seen: list[int] = []

    def look_from_outside(request: dict[str, Any]) -> None:
        with closing(connection.copy()) as other, other.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM notifications_delivery WHERE state = 'sent'")
            seen.append(cursor.fetchone()[0])

    sendgrid.on_request = look_from_outside
    assert send(pending_deliveries(6, NOW)) == 6
    # Nothing accepted waits for its record while another is handed over.
    assert seen == [0, 1, 2, 3, 4, 5]
    assert rows("state", "attempts") == [("sent", 1)] * 6


def test_a_pause_gives_back_what_was_started_as_if_it_had_not_been(
    sendgrid: SendGridSimulator,
) -> None:
    sendgrid.answers = [Answer(), Answer(429)]
    ids = pending_deliveries(5, NOW)
    before = NOW - timedelta(days=1)
    Delivery.objects.update(dispatched_at=before, attempts=2)
    assert send(ids) == 1
    assert rows("state", "attempts", "dispatched_at") == [
        ("sent", 3, NOW),
        ("pending", 2, NOW),
        *[("pending", 2, before)] * 3,
    ]
    assert SentMarks(DispatchLimits.current()).look(list(Delivery.objects.all())).keys() == {ids[0]}


def test_what_was_accepted_is_known_even_when_the_database_goes_away(
    sendgrid: SendGridSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "CHUNK_SECONDS", 0)
    ids = pending_deliveries(4, NOW)

    def cut_off(request: dict[str, Any]) -> None:
        if len(sendgrid.requests) == 2:
            url = own_processes.environment()["DATABASE_URL"]
            with closing(psycopg2.connect(url)) as other, other.cursor() as cursor:
                cursor.execute("SELECT pg_terminate_backend(%s)", [backend])

    backend = connection.connection.info.backend_pid
    sendgrid.on_request = cut_off
    with pytest.raises(OperationalError):
        send(ids)
    connection.close()
    sweep(now=LATER)
    assert rows("state", "attempts", "provider_message_id") == [
        ("sent", 1, "message-1"),
        ("sent", 1, "message-2"),
        ("pending", 0, ""),
        ("pending", 0, ""),
    ]


def test_a_lost_one_that_was_never_marked_waits_again_without_an_attempt() -> None:
    started_delivery()
    assert swept() == ("pending", 0)


def test_what_the_provider_knows_not_to_have_is_no_attempt_either() -> None:
    started_delivery("outbox")
    assert swept() == ("pending", 0)


def test_a_lost_one_in_flight_is_uncertain_for_all_the_witness_says() -> None:
    SentMarks(DispatchLimits.current()).take([started_delivery()], at=NOW)
    assert swept() == ("uncertain", 1)


def test_without_its_witness_no_mark_says_nothing() -> None:
    server().delete(witnesses.key(started_delivery().lease_token))
    assert swept() == ("uncertain", 1)


@pytest.mark.parametrize(
    "changes",
    [
        {"memory": "another-process/0"},
        {"at": NOW + timedelta(microseconds=1)},
        {"limits": DispatchLimits()},
    ],
)
def test_a_witness_of_another_memory_time_or_installation_says_nothing(changes: Any) -> None:
    delivery = started_delivery()
    write([witness_of(delivery, **changes)])
    assert swept() == ("uncertain", 1)


def test_a_witness_outlives_the_lease() -> None:
    delivery = started_delivery()
    left = server().ttl(witnesses.key(delivery.lease_token))
    assert left > DispatchLimits.current().lease_seconds + 3600


def test_the_memory_of_redis_is_its_process_and_the_keys_it_evicted() -> None:
    memory = witnesses.memory_of_redis()
    server().set("sent:something", "1")
    assert witnesses.memory_of_redis() == memory
    assert memory == f"{server().info('server')['run_id']}/0"


def test_where_redis_tells_nothing_of_itself_no_witness_is_believed(
    settings: Settings, sendgrid: SendGridSimulator
) -> None:
    redis = OwnRedis()
    redis.start()
    try:
        settings.REDIS_URL = redis.url
        server().execute_command("ACL", "SETUSER", "default", "-info")
        assert witnesses.memory_of_redis() == ""
        started_delivery()
        assert swept() == ("uncertain", 1)
        assert send(pending_deliveries(3, NOW)) == 3
    finally:
        redis.kill()


def test_after_a_restart_of_redis_an_older_witness_is_not_believed(settings: Settings) -> None:
    redis = OwnRedis()
    redis.start()
    try:
        settings.REDIS_URL = redis.url
        delivery = started_delivery()
        witness = witness_of(delivery)
        redis.kill()
        redis.start()
        # As an append-only file would bring it back, without what came last.
        write([witness])
        assert swept() == ("uncertain", 1)
    finally:
        redis.kill()


def test_a_worker_that_was_only_late_is_not_followed_by_a_second_mail(
    sendgrid: SendGridSimulator,
) -> None:
    late = started_delivery()
    sweep(now=LATER)
    # The sweep has looked; only now the worker marks and calls.
    SentMarks(DispatchLimits.current()).take([late], at=NOW)
    assert send([late.pk], LATER) == 0
    assert sendgrid.requests == []
    assert rows("state") == ["uncertain"]


def test_a_late_worker_does_not_send_what_another_has_sent_meanwhile(
    sendgrid: SendGridSimulator,
) -> None:
    late = started_delivery()
    sweep(now=LATER)
    assert send([late.pk], LATER) == 1
    found = SentMarks(DispatchLimits.current()).take([late], at=NOW)
    assert found[late.pk].is_accepted
    assert ledger.record_sent([(late, "")], now=LATER) == set()
