"""The sweep: expired leases, lost answers, and rows that the queue has forgotten."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import redis
from django.conf import settings as django_settings
from pytest_django import Settings

from config.celery import app
from notifications import ledger
from notifications import sweep as sweeping
from notifications.messages import Message
from notifications.models import Delivery, DispatchLimits, ProviderQuota
from notifications.providers import get_provider
from notifications.queueing import enqueue
from notifications.sent_marks import SentMarks
from notifications.sweep import Swept, sweep
from tests.factories.deliveries import (
    FakeSource,
    claimed_delivery,
    dispatching_delivery,
    pending_deliveries,
)

pytestmark = pytest.mark.django_db(transaction=True)
# Real time: the outbox compares it with the age of its files.
NOW = datetime.now(tz=UTC)
LEASE = timedelta(minutes=5)
LATER = NOW + LEASE + timedelta(seconds=1)


@pytest.fixture(autouse=True)
def source() -> FakeSource:
    return FakeSource()


@pytest.fixture(autouse=True)
def queue() -> Iterator[Any]:
    """The mail queue in Redis, empty at first."""
    broker = redis.Redis.from_url(app.conf.broker_url)
    broker.delete("mail", "account")
    yield broker
    broker.delete("mail", "account")


def state(delivery: Delivery) -> str:
    return Delivery.objects.get(pk=delivery.pk).state


def test_a_claim_that_has_expired_is_free_again_and_in_the_queue(queue: Any) -> None:
    delivery = claimed_delivery(NOW)
    assert sweep(now=LATER) == Swept(freed=1, settled=0, enqueued=1)
    row = Delivery.objects.get()
    assert (row.state, row.lease_token, row.attempts) == ("pending", None, 0)
    assert (row.next_attempt_at, row.enqueued_at) == (LATER, LATER)
    assert queue.llen("mail") == 1
    assert delivery.pk == row.pk


def test_a_claim_in_force_is_left_alone(queue: Any) -> None:
    delivery = claimed_delivery(NOW)
    assert sweep(now=NOW + LEASE - timedelta(seconds=1)) == Swept(0, 0, 0)
    assert state(delivery) == "claimed"


def test_a_lost_call_that_was_accepted_counts_as_sent() -> None:
    delivery = dispatching_delivery(NOW)
    get_provider("outbox").send(delivery.pk, Message("a@example.com", "x", "y"))
    assert sweep(now=LATER).settled == 1
    assert state(delivery) == "sent"


def test_a_lost_call_that_was_not_accepted_is_tried_again() -> None:
    delivery = dispatching_delivery(NOW)
    assert sweep(now=LATER) == Swept(freed=0, settled=1, enqueued=1)
    assert (state(delivery), Delivery.objects.get().attempts) == ("pending", 1)


def test_a_mail_of_a_database_that_is_gone_does_not_count() -> None:
    delivery = dispatching_delivery(NOW)
    get_provider("outbox").send(delivery.pk, Message("a@example.com", "x", "y"))
    Delivery.objects.update(created_at=NOW + timedelta(hours=1))
    sweep(now=LATER)
    assert state(delivery) == "pending"


@pytest.mark.parametrize("provider", ["smtp", "sendgrid"])
def test_a_lost_call_nobody_can_ask_about_is_uncertain(provider: str) -> None:
    delivery = dispatching_delivery(NOW, provider=provider)
    assert sweep(now=LATER) == Swept(freed=0, settled=1, enqueued=0)
    row = Delivery.objects.get()
    assert (row.state, row.reason) == ("uncertain", "no_answer")
    assert sweep(now=LATER + LEASE) == Swept(0, 0, 0)
    assert delivery.pk == row.pk


def test_the_provider_that_was_called_is_asked_even_after_a_change_of_settings(
    settings: Settings,
) -> None:
    delivery = dispatching_delivery(NOW, provider="outbox")
    get_provider("outbox").send(delivery.pk, Message("a@example.com", "x", "y"))
    settings.EMAIL_PROVIDER = "smtp"
    sweep(now=LATER)
    assert state(delivery) == "sent"


def test_a_worker_that_comes_back_late_with_an_answer_is_believed() -> None:
    delivery = dispatching_delivery(NOW, provider="sendgrid")
    sweep(now=LATER)
    assert ledger.record_sent([(delivery, "message-1")], now=LATER) == {delivery.pk}
    assert state(delivery) == "sent"


def test_rows_that_the_queue_has_lost_are_enqueued_once_a_period(queue: Any) -> None:
    pending_deliveries(3, NOW)
    early = NOW + timedelta(seconds=DispatchLimits.current().requeue_after_seconds - 1)
    assert sweep(now=early).enqueued == 0
    late = early + timedelta(seconds=2)
    assert sweep(now=late).enqueued == 3
    assert sweep(now=late).enqueued == 0
    assert queue.llen("mail") == 1


def test_a_retry_is_enqueued_when_it_is_due_and_not_before() -> None:
    delivery = dispatching_delivery(NOW)
    due_at = NOW + timedelta(seconds=40)
    ledger.put_back([(delivery, due_at)])
    assert sweep(now=due_at - timedelta(seconds=1)).enqueued == 0
    assert sweep(now=due_at).enqueued == 1


def test_large_backlogs_are_enqueued_in_batches(queue: Any) -> None:
    DispatchLimits.objects.create(batch_size=100)
    pending_deliveries(250, NOW)
    sweep(now=NOW + timedelta(hours=1))
    assert queue.llen("mail") == 3


def test_a_broker_that_is_away_fails_nobody_and_all_are_enqueued_once_it_is_back(
    monkeypatch: pytest.MonkeyPatch, queue: Any
) -> None:
    pending_deliveries(2, NOW)
    later = NOW + timedelta(hours=1)
    with monkeypatch.context() as away:
        away.setattr(app.conf, "broker_write_url", "redis://127.0.0.1:1/0")
        assert sweep(now=later).enqueued == 0
    assert sweep(now=later + timedelta(seconds=10)).enqueued == 2
    assert queue.llen("mail") == 1


def test_what_the_broker_did_not_take_is_enqueued_by_the_next_sweep(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ids = pending_deliveries(2, NOW)
    with monkeypatch.context() as away:
        away.setattr(app.conf, "broker_write_url", "redis://127.0.0.1:1/0")
        assert enqueue(ids) == 0
    assert "2 deliveries wait for the sweep" in caplog.text
    assert sweep(now=NOW + timedelta(seconds=1)).enqueued == 2


def test_a_backlog_that_fills_the_queue_is_not_put_into_it_again(
    monkeypatch: pytest.MonkeyPatch, queue: Any
) -> None:
    DispatchLimits.objects.create(batch_size=10)
    monkeypatch.setattr(sweeping, "QUEUED_ROWS", 50)
    enqueue(pending_deliveries(60, NOW))
    waits = [NOW + timedelta(hours=hours) for hours in (1, 2, 3)]
    assert [sweep(now=now).enqueued for now in waits] == [0, 0, 0]
    queue.rpop("mail", 3)
    assert sweep(now=waits[-1] + timedelta(hours=1)).enqueued == 20
    assert queue.llen("mail") == 5


def test_account_mails_are_not_held_back_by_a_full_queue_of_others(
    monkeypatch: pytest.MonkeyPatch, queue: Any
) -> None:
    monkeypatch.setattr(sweeping, "QUEUED_ROWS", 50)
    DispatchLimits.objects.create(batch_size=10)
    enqueue(pending_deliveries(60, NOW))
    pending_deliveries(3, NOW, "account")
    assert sweep(now=NOW + timedelta(hours=1)).enqueued == 3
    assert (queue.llen("account"), queue.llen("mail")) == (1, 6)


def test_nothing_is_enqueued_for_a_provider_that_rests(queue: Any) -> None:
    quota = ProviderQuota.of("outbox")
    ProviderQuota.objects.update(paused_at=NOW, pause_reason="An operator looks into it.")
    pending_deliveries(3, NOW)
    late = NOW + timedelta(hours=1)
    assert sweep(now=late).enqueued == 0
    ProviderQuota.objects.filter(pk=quota.pk).update(paused_at=None)
    assert sweep(now=late).enqueued == 3


def test_a_lost_call_with_an_accepted_mark_counts_as_sent() -> None:
    delivery = dispatching_delivery(NOW, provider="sendgrid")
    SentMarks(DispatchLimits.current()).accept([(delivery, "message-7")])
    assert sweep(now=LATER).settled == 1
    row = Delivery.objects.get()
    assert (row.state, row.provider_message_id) == ("sent", "message-7")


def test_a_lost_call_with_a_mark_in_flight_is_uncertain() -> None:
    delivery = dispatching_delivery(NOW, provider="sendgrid")
    SentMarks(DispatchLimits.current()).take([delivery], at=NOW)
    sweep(now=LATER)
    assert state(delivery) == "uncertain"


def test_without_redis_lost_calls_wait_for_what_their_marks_say(settings: Settings) -> None:
    delivery = dispatching_delivery(NOW, provider="sendgrid")
    SentMarks(DispatchLimits.current()).accept([(delivery, "message-7")])
    url, settings.REDIS_URL = settings.REDIS_URL, "redis://127.0.0.1:1/0"
    sweep(now=LATER)
    assert state(delivery) == "dispatching"
    settings.REDIS_URL = url
    sweep(now=LATER)
    assert state(delivery) == "sent"


def test_messages_carry_ids_only(queue: Any) -> None:
    ids = pending_deliveries(2, NOW)
    sweep(now=NOW + timedelta(hours=1))
    message = queue.lindex("mail", 0).decode()
    assert "example.com" not in message
    assert ids
    assert django_settings.CELERY_TASK_ROUTES["notifications.tasks.send_batch"] == {"queue": "mail"}
