"""Sending a batch: what goes out, what does not and why, and what each answer leads to."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from notifications import ledger, outbox_files, sending
from notifications.backoff import pause_after
from notifications.messages import Message, NotWanted
from notifications.models import Delivery, DispatchLimits, ProviderQuota, Reason
from notifications.providers.opaque_ids import delivery_id_of
from notifications.providers.outbox import path_of
from tests.factories.deliveries import FakeSource, new, pending_deliveries, plain_message
from tests.providers.sendgrid_simulator import SendGridSimulator, running_server
from tests.providers.simulator import Answer

# Durable transactions are the point here, so no test transaction around them.
pytestmark = pytest.mark.django_db(transaction=True)
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


@pytest.fixture
def source() -> FakeSource:
    return FakeSource()


@pytest.fixture
def sendgrid(settings: Settings) -> Iterator[SendGridSimulator]:
    with running_server() as server:
        settings.SENDGRID_API_HOST, settings.EMAIL_PROVIDER = server.url, "sendgrid"
        yield server


def send(ids: list[int], now: datetime = NOW) -> int:
    return sending.send_batch(ids, clock=lambda: now)


def rows(*fields: str) -> list[Any]:
    return list(Delivery.objects.order_by("pk").values_list(*fields, flat=len(fields) == 1))


def test_a_batch_is_sent_and_recorded(source: FakeSource) -> None:
    ids = pending_deliveries(3, NOW)
    assert send(ids) == 3
    assert rows("state", "attempts", "provider", "finished_at") == [
        ("sent", 1, "outbox", NOW),
        ("sent", 1, "outbox", NOW),
        ("sent", 1, "outbox", NOW),
    ]
    assert [path_of(pk).exists() for pk in ids] == [True, True, True]
    mail = outbox_files.read(ids[0])
    assert mail is not None
    assert (mail.head.to, mail.head.subject) == ("fake.0@example.com", f"News {ids[0]}")


def test_sending_again_sends_nothing(source: FakeSource) -> None:
    ids = pending_deliveries(2, NOW)
    send(ids)
    assert send(ids) == 0
    assert source.composed == ids


def test_no_ids_and_unknown_ids_are_harmless(source: FakeSource) -> None:
    assert send([]) == 0
    assert send([999_999]) == 0


def test_no_transaction_is_open_while_composing_or_calling_the_provider(
    source: FakeSource, sendgrid: SendGridSimulator
) -> None:
    ids = pending_deliveries(3, NOW)
    seen: list[tuple[str, int, int]] = []

    def look_from_outside(request: dict[str, Any]) -> None:
        pk = delivery_id_of(request["personalizations"][0]["custom_args"]["delivery"])
        with closing(connection.copy()) as other, other.cursor() as cursor:
            cursor.execute(
                "SELECT state, attempts, (SELECT count(*) FROM pg_stat_activity WHERE "
                "datname = current_database() AND state LIKE 'idle in transaction%%') "
                "FROM notifications_delivery WHERE id = %s",
                [pk],
            )
            seen.append(cursor.fetchone())

    sendgrid.on_request = look_from_outside
    send(ids)
    assert not source.saw_open_transaction
    assert seen == [("dispatching", 1, 0)] * 3


def test_what_came_too_late_is_cancelled_and_released(source: FakeSource) -> None:
    ids = ledger.open_deliveries(
        [new("late", NOW, expires_at=NOW), new("good", NOW, expires_at=NOW + timedelta(hours=1))]
    )
    assert send(list(ids.values())) == 1
    assert rows("state", "reason") == [("cancelled", "expired"), ("sent", "")]
    assert source.released == source_ids(ids, "late")
    assert source.composed == source_ids(ids, "good")


def source_ids(ids: dict[str, int], *keys: str) -> list[int]:
    return [ids[key] for key in keys]


def test_what_is_not_wanted_any_more_is_cancelled_with_its_reason(source: FakeSource) -> None:
    ids = pending_deliveries(3, NOW)
    answers: dict[int, Message | NotWanted | None] = {
        ids[0]: NotWanted(Reason.SUSPENDED.value),
        ids[1]: None,  # left out of the answer
    }
    source.compose_one = lambda delivery: answers.get(delivery.pk, plain_message(delivery))
    assert send(ids) == 1
    assert rows("state", "reason", "attempts") == [
        ("cancelled", "suspended", 0),
        ("cancelled", "no_content", 0),
        ("sent", "", 1),
    ]
    assert source.released == ids[:2]


def test_a_kind_that_cannot_be_composed_blocks_no_other(source: FakeSource) -> None:
    broken = FakeSource("broken")

    def fail(delivery: Delivery) -> Message:
        raise ValueError(f"text of {delivery.address}")

    broken.compose_one = fail
    ids = [*pending_deliveries(2, NOW, "broken"), *pending_deliveries(2, NOW)]
    assert send(ids) == 2
    assert rows("state", "attempts", "last_answer") == [
        ("pending", 1, "UnableToCompose: ValueError"),
        ("pending", 1, "UnableToCompose: ValueError"),
        ("sent", 1, ""),
        ("sent", 1, ""),
    ]


def test_one_message_that_cannot_be_composed_blocks_none_of_its_kind(source: FakeSource) -> None:
    ids = pending_deliveries(3, NOW)

    def fail_for_one(delivery: Delivery) -> Message:
        if delivery.pk == ids[1]:
            raise ValueError
        return plain_message(delivery)

    source.compose_one = fail_for_one
    assert send(ids) == 2
    assert rows("state") == ["sent", "pending", "sent"]


def test_a_message_that_can_never_be_composed_ends_as_a_dead_letter(source: FakeSource) -> None:
    DispatchLimits.objects.create(max_attempts=2, backoff_cap_seconds=1)

    def fail(delivery: Delivery) -> Message:
        raise ValueError

    source.compose_one = fail
    ids = pending_deliveries(1, NOW)
    send(ids)
    send(ids, NOW + timedelta(seconds=2))
    assert rows("state", "reason") == [("dead", "attempts_used_up")]
    assert source.released == ids


def test_a_kind_without_a_source_waits(source: FakeSource) -> None:
    ids = [*pending_deliveries(1, NOW, "unheard-of"), *pending_deliveries(1, NOW)]
    assert send(ids) == 1
    assert rows("state") == ["pending", "sent"]


def test_a_database_error_while_composing_is_nobodys_fault(source: FakeSource) -> None:
    def fail(delivery: Delivery) -> Message:
        raise OperationalError("server closed the connection")

    source.compose_one = fail
    ids = pending_deliveries(2, NOW)
    with pytest.raises(OperationalError):
        send(ids)
    assert rows("state", "attempts") == [("claimed", 0), ("claimed", 0)]


def test_one_refused_address_is_a_dead_letter_and_the_others_go_out(
    source: FakeSource, sendgrid: SendGridSimulator
) -> None:
    sendgrid.answers.append(Answer())
    sendgrid.refuse(400)
    ids = pending_deliveries(3, NOW)
    assert send(ids) == 2
    assert rows("state", "reason", "last_answer", "provider_message_id") == [
        ("sent", "", "", "message-1"),
        ("dead", "refused", "400 Does not contain a valid address.", ""),
        ("sent", "", "", "message-3"),
    ]
    assert source.released == [ids[1]]


def test_429_sends_the_rest_of_the_batch_back_until_the_reset_and_counts_nothing(
    source: FakeSource, sendgrid: SendGridSimulator
) -> None:
    reset = NOW + timedelta(seconds=90)
    sendgrid.answers.append(Answer())
    sendgrid.refuse(429, X_RateLimit_Reset=str(int(reset.timestamp())))
    assert send(pending_deliveries(4, NOW)) == 1
    assert (
        rows("state", "attempts", "next_attempt_at", "enqueued_at")[1:]
        == [("pending", 0, reset, None)] * 3
    )
    assert len(sendgrid.requests) == 2


@pytest.mark.parametrize("offset", [timedelta(days=2), timedelta(seconds=-5), None])
def test_an_absurd_or_missing_reset_time_means_a_minute(
    source: FakeSource, sendgrid: SendGridSimulator, offset: timedelta | None
) -> None:
    header = str(int((NOW + offset).timestamp())) if offset else ""
    sendgrid.refuse(429, X_RateLimit_Reset=header)
    send(pending_deliveries(1, NOW))
    assert rows("next_attempt_at", "attempts") == [(NOW + timedelta(seconds=60), 0)]


def test_a_refused_key_stops_the_batch_and_loses_nothing(
    source: FakeSource, sendgrid: SendGridSimulator, caplog: pytest.LogCaptureFixture
) -> None:
    sendgrid.refuse(401)
    assert send(pending_deliveries(3, NOW)) == 0
    assert rows("state", "attempts") == [("pending", 0)] * 3
    assert len(sendgrid.requests) == 1
    assert "ERROR" in {record.levelname for record in caplog.records}


def test_a_server_error_is_tried_again_later_and_blocks_no_other(
    source: FakeSource, sendgrid: SendGridSimulator
) -> None:
    sendgrid.refuse(503)
    assert send(pending_deliveries(2, NOW)) == 1
    [failed, _sent] = Delivery.objects.order_by("pk")
    assert (failed.state, failed.attempts) == ("pending", 1)
    assert NOW <= failed.next_attempt_at <= NOW + timedelta(seconds=30)


def test_the_last_failed_attempt_is_a_dead_letter(
    source: FakeSource, sendgrid: SendGridSimulator
) -> None:
    DispatchLimits.objects.create(max_attempts=2, backoff_base_seconds=1, backoff_cap_seconds=1)
    ids = pending_deliveries(1, NOW)
    for attempt in range(2):
        sendgrid.refuse(503)
        send(ids, NOW + timedelta(seconds=2 * attempt))
    assert rows("state", "reason", "attempts") == [("dead", "attempts_used_up", 2)]
    assert source.released == ids


def test_a_lost_answer_is_uncertain_and_is_not_sent_again(
    source: FakeSource, sendgrid: SendGridSimulator
) -> None:
    sendgrid.answers.append(Answer(cuts_line=True))
    ids = pending_deliveries(2, NOW)
    assert send(ids) == 1
    assert send(ids, NOW + timedelta(hours=1)) == 0
    assert rows("state", "reason") == [("uncertain", "no_answer"), ("sent", "")]
    assert sendgrid.addresses() == ["fake.0@example.com", "fake.1@example.com"]


def test_a_worker_that_lost_its_lease_sends_nothing_more(
    source: FakeSource, sendgrid: SendGridSimulator
) -> None:
    ids = pending_deliveries(3, NOW)

    def another_worker_takes_over(request: dict[str, Any]) -> None:
        if len(sendgrid.requests) == 1:
            with closing(connection.copy()) as other, other.cursor() as cursor:
                cursor.execute(
                    "UPDATE notifications_delivery SET lease_token = gen_random_uuid() "
                    "WHERE id <> %s",
                    [ids[0]],
                )

    sendgrid.on_request = another_worker_takes_over
    assert send(ids) == 1
    assert sendgrid.addresses() == ["fake.0@example.com"]
    assert rows("state") == ["sent", "claimed", "claimed"]


def test_a_batch_that_outlives_its_lease_gives_the_rest_back(source: FakeSource) -> None:
    # Each look at the clock costs 40 seconds of a lease of 300.
    ticks = (NOW + timedelta(seconds=40 * n) for n in range(1000))
    ids = pending_deliveries(10, NOW)
    sent = sending.send_batch(ids, clock=lambda: next(ticks))
    states = rows("state")
    assert 0 < sent < 10
    assert states == ["sent"] * sent + ["pending"] * (10 - sent)
    assert all(path_of(pk).exists() for pk in ids[:sent])
    assert not any(path_of(pk).exists() for pk in ids[sent:])


def test_an_adapter_that_fails_leaves_one_uncertain_and_sends_the_rest(
    source: FakeSource, settings: Settings
) -> None:
    source.compose_one = lambda delivery: (
        plain_message(delivery)
        if delivery.pk != ids[0]
        else Message(to="a@example.com", subject="x", text=None)  # type: ignore[arg-type]
    )
    ids = pending_deliveries(2, NOW)
    assert send(ids) == 1
    assert rows("state") == ["uncertain", "sent"]


def queries_for(count: int) -> int:
    ids = pending_deliveries(count, NOW, f"fake{count}")
    FakeSource(f"fake{count}")
    with CaptureQueriesContext(connection) as queries:
        assert send(ids) == count
    return len(queries)


def test_queries_are_few_and_constant_beside_the_mark_and_record_of_each_chunk() -> None:
    DispatchLimits.current()
    ProviderQuota.of("outbox")
    small, large = queries_for(5), queries_for(25)
    # Chunks of 1, 2, 2 and of 1, 2, 4, 8, 10: BEGIN, record those before, mark these, COMMIT.
    assert large - small == 2 * 4
    assert small - 3 * 4 == 7


def test_backoff_never_exceeds_its_bounds() -> None:
    limits = DispatchLimits(backoff_base_seconds=30, backoff_cap_seconds=3600)
    for attempts, longest in [(1, 30), (2, 60), (5, 480), (8, 3600), (4000, 3600)]:
        pauses = [pause_after(attempts, limits).total_seconds() for _ in range(200)]
        assert 0 <= min(pauses) < longest * 0.2
        assert longest * 0.8 < max(pauses) <= longest
