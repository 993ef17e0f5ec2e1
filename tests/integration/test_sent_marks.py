"""The two guards against sending twice, the ledger's rows and the marks in Redis, each alone."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pytest_django import Settings

from notifications import sending
from notifications.ledger.settling import open_again
from notifications.limiter.server import server
from notifications.models import Delivery, DispatchLimits, State
from notifications.sent_marks import Found, SentMarks
from tests.factories.deliveries import FakeSource, claimed_delivery, pending_deliveries
from tests.providers.sendgrid_simulator import SendGridSimulator, running_server
from tests.providers.simulator import Answer

pytestmark = pytest.mark.django_db(transaction=True)
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def source() -> FakeSource:
    return FakeSource()


@pytest.fixture
def sendgrid(settings: Settings) -> Iterator[SendGridSimulator]:
    with running_server() as simulator:
        settings.SENDGRID_API_HOST, settings.EMAIL_PROVIDER = simulator.url, "sendgrid"
        yield simulator


def send(ids: list[int], now: datetime = NOW) -> int:
    return sending.send_batch(ids, clock=lambda: now)


def rows(*fields: str) -> list[Any]:
    return list(Delivery.objects.order_by("pk").values_list(*fields, flat=len(fields) == 1))


def marks() -> SentMarks:
    return SentMarks(DispatchLimits.current())


def mark_of(pk: int) -> Found | None:
    return marks().look([Delivery.objects.get(pk=pk)]).get(pk)


def restore_from_backup(**fields: object) -> None:
    """As a backup of before the sending would bring the rows back."""
    before = {"attempts": 0, "dispatched_at": None, "finished_at": None, "provider": ""}
    Delivery.objects.update(state="pending", next_attempt_at=NOW, **(before | fields))


def test_without_redis_memory_the_ledger_alone_sends_nothing_twice(
    sendgrid: SendGridSimulator,
) -> None:
    ids = pending_deliveries(3, NOW)
    sendgrid.answers = [Answer(), Answer(503), Answer(cuts_after=True)]
    send(ids)
    server().flushdb()
    send(ids, NOW + DAY)
    assert sorted(rows("state")) == ["sent", "sent", "uncertain"]
    assert sendgrid.accepted_by_address.most_common() == [
        ("fake.0@example.com", 1), ("fake.2@example.com", 1), ("fake.1@example.com", 1),
    ]  # fmt: skip


def test_without_the_ledgers_memory_the_marks_alone_send_nothing_twice(
    sendgrid: SendGridSimulator, caplog: pytest.LogCaptureFixture
) -> None:
    ids = pending_deliveries(4, NOW)
    sendgrid.answers = [Answer(), Answer(), Answer(cuts_after=True), Answer(cuts_line=True)]
    send(ids)
    first = sendgrid.counts["requests"]
    restore_from_backup()
    send(ids, NOW + DAY)
    assert sendgrid.counts["requests"] == first
    assert rows("state", "provider_message_id") == [
        ("sent", "message-1"), ("sent", "message-2"), ("uncertain", ""), ("uncertain", ""),
    ]  # fmt: skip
    assert f"Delivery {ids[0]} was handed over before: accepted." in caplog.text


def test_what_was_refused_for_now_is_sent_again_after_a_restored_backup(
    sendgrid: SendGridSimulator,
) -> None:
    sendgrid.answers = [Answer(503)]
    ids = pending_deliveries(1, NOW)
    send(ids)
    assert mark_of(ids[0]) is None
    restore_from_backup()
    assert send(ids, NOW + DAY) == 1


@pytest.mark.parametrize("answer", [Answer(429), Answer(503), Answer(400), Answer(401)])
def test_a_message_that_was_certainly_not_taken_leaves_no_mark(
    sendgrid: SendGridSimulator, answer: Answer
) -> None:
    sendgrid.answers = [answer]
    ids = pending_deliveries(1, NOW)
    send(ids)
    assert mark_of(ids[0]) is None


def test_marks_say_in_flight_then_accepted_and_end_after_their_days(
    sendgrid: SendGridSimulator,
) -> None:
    DispatchLimits.objects.create(sent_mark_days=3)
    ids = pending_deliveries(1, NOW)
    seen: list[str] = []
    sendgrid.on_request = lambda request: seen.append(str(server().get("sent:fake:0")))
    send(ids)
    assert seen[0].endswith(f" in-flight {int(NOW.timestamp()) * 1_000_000}")
    assert mark_of(ids[0]) == Found("accepted", "message-1")
    assert 0 <= 3 * 86_400 - server().ttl("sent:fake:0") < 60


def test_a_mark_that_redis_kept_while_the_ledger_gave_back_does_not_count(
    sendgrid: SendGridSimulator,
) -> None:
    # The provider refused, the ledger noted it, and Redis was away when the mark was deleted.
    sendgrid.answers = [Answer(503)]
    ids = pending_deliveries(1, NOW)
    send(ids)
    marks().take([Delivery(idempotency_key="fake:0")], at=NOW)
    assert send(ids, NOW + DAY) == 1
    assert rows("state", "attempts") == [("sent", 2)]


def test_an_uncertain_delivery_that_is_settled_as_not_accepted_is_sent(
    sendgrid: SendGridSimulator,
) -> None:
    sendgrid.answers = [Answer(cuts_line=True)]
    ids = pending_deliveries(1, NOW)
    send(ids)
    open_again(ids, state=State.UNCERTAIN, answer="", now=NOW, forgets_attempts=False)
    assert send(ids, NOW + DAY) == 1
    assert rows("state") == ["sent"]


def test_so_is_one_whose_mark_alone_knew_of_the_attempt(sendgrid: SendGridSimulator) -> None:
    sendgrid.answers = [Answer(cuts_line=True)]
    ids = pending_deliveries(1, NOW)
    send(ids)
    restore_from_backup()
    send(ids, NOW + DAY)
    assert rows("state") == ["uncertain"]
    open_again(ids, state=State.UNCERTAIN, answer="", now=NOW, forgets_attempts=False)
    assert send(ids, NOW + 2 * DAY) == 1


def test_the_outbox_settles_marks_in_flight_by_its_files() -> None:
    delivery = claimed_delivery(NOW)
    marks().take([delivery], at=NOW - DAY)
    Delivery.objects.update(state="pending", lease_token=None, lease_expires_at=None)
    assert send([delivery.pk]) == 1
    restore_from_backup()
    marks().replace([delivery], at=NOW - DAY)
    Delivery.objects.update(created_at=datetime(2020, 1, 1, tzinfo=UTC))
    assert send([delivery.pk], NOW + DAY) == 1
    assert rows("state", "attempts") == [("sent", 1)]


def test_marks_of_another_database_in_the_same_redis_do_not_count(
    sendgrid: SendGridSimulator,
) -> None:
    send(pending_deliveries(2, NOW))
    Delivery.objects.all().delete()
    DispatchLimits.objects.all().delete()
    assert send(pending_deliveries(2, NOW)) == 2
    assert sendgrid.counts["requests"] == 4


def test_taking_many_marks_is_one_round_trip_each_way() -> None:
    reads = []
    # The server counts the reads of everybody: the quietest of some goes is ours alone.
    for go in range(8):
        deliveries = [Delivery(pk=n, idempotency_key=f"many:{go}:{n}") for n in range(1, 501)]
        assert marks().take(deliveries, at=NOW) == {}
        before = server().info("stats")["total_reads_processed"]
        marks().accept([(delivery, "m") for delivery in deliveries])
        found = marks().take(deliveries, at=NOW + DAY)
        reads.append(server().info("stats")["total_reads_processed"] - before)
        assert set(found.values()) == {Found("accepted", "m")}
        assert len(found) == 500
    # Redis reads 16 KB at a time; one round trip a delivery would be a thousand.
    assert min(reads) < 30
