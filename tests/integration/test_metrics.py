"""/metrics tells exact numbers: what was sent, what waits, what providers and runs did."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from agents.models import ReportRun
from notifications import ledger, measures
from notifications.events import ReportedEvent, receive
from notifications.ledger import open_deliveries
from notifications.limiter.server import server
from notifications.measures import HASH
from notifications.models import EventKind, ProviderQuota
from notifications.sending import send_batch
from operations import pulse
from operations.metrics import exposition
from tests.factories.deliveries import FakeSource, claimed_delivery, new, pending_deliveries
from tests.outages import OwnRedis
from tests.providers import sendgrid_simulator
from tests.providers.sendgrid_simulator import SendGridSimulator

pytestmark = pytest.mark.django_db(transaction=True)
TOKEN = "a-token-for-tests"


@pytest.fixture(autouse=True)
def _nothing_counted(settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN
    server().delete(HASH, pulse.BEAT, pulse.WAITING)
    FakeSource()


@pytest.fixture
def sendgrid(settings: Settings) -> Iterator[SendGridSimulator]:
    with sendgrid_simulator.running_server() as simulator:
        settings.EMAIL_PROVIDER = "sendgrid"
        settings.SENDGRID_API_KEY = "SG.key"
        settings.SENDGRID_API_HOST = simulator.url
        yield simulator


def read() -> dict[tuple[str, ...], float]:
    """Every sample: (name, label values in the order of their names …) → value."""
    text = exposition(now=timezone.now()).decode()
    return {
        (sample.name, *(value for _name, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_three_sent_and_one_refused(sendgrid: SendGridSimulator) -> None:
    now = datetime.now(UTC)
    sendgrid.bad_addresses = {"bad@example.com"}
    ids = pending_deliveries(3, now - timedelta(seconds=20))
    ids += open_deliveries([new("bad", now - timedelta(seconds=20))]).values()
    assert send_batch(ids, clock=timezone.now) == 3
    found = read()
    assert found["marktlotse_deliveries_total", "email", "fake", "sent"] == 3
    assert found["marktlotse_deliveries_total", "email", "fake", "dead"] == 1
    assert found["marktlotse_deliveries_total", "email", "fake", "uncertain"] == 0
    assert found["marktlotse_deliveries_open", "email", "fake", "dead"] == 1
    assert found["marktlotse_deliveries_open", "email", "fake", "pending"] == 0
    assert found["marktlotse_delivery_seconds_count", "email", "fake"] == 3
    assert found["marktlotse_delivery_seconds_bucket", "email", "fake", "10"] == 0
    assert found["marktlotse_delivery_seconds_bucket", "email", "fake", "30"] == 3
    assert 60 < found["marktlotse_delivery_seconds_sum", "email", "fake"] < 120
    requests = {
        answer: found["marktlotse_provider_request_seconds_count", answer, "sendgrid"]
        for answer in ("accepted", "permanent")
    }
    assert sum(requests.values()) == len(sendgrid.requests)


def test_twenty_messages_are_counted_in_one_round_trip(
    sendgrid: SendGridSimulator, settings: Settings
) -> None:
    """In a Redis of its own, whose statistics nobody else moves."""
    redis = OwnRedis()
    redis.start()
    settings.REDIS_URL = redis.url
    try:
        send_batch(pending_deliveries(20, datetime.now(UTC)), clock=timezone.now)
        # One state, one latency, one request; the last two with their sums.
        assert _calls_of("hincrby") == 5
        assert read()["marktlotse_deliveries_total", "email", "fake", "sent"] == 20
        measures.DELIVERIES.add("sent", "fake", "email", by=3)
        assert _calls_of("hincrby") == 6
    finally:
        redis.kill()


def _calls_of(command: str) -> int:
    stats: Any = server().info("commandstats")
    return int(stats.get(f"cmdstat_{command}", {}).get("calls", 0))


def test_what_is_rolled_back_is_not_counted() -> None:
    delivery = claimed_delivery(datetime.now(UTC))
    with transaction.atomic():
        ledger.cancel([(delivery, "expired")], now=datetime.now(UTC))
        transaction.set_rollback(True)
    assert read()["marktlotse_deliveries_total", "email", "fake", "cancelled"] == 0
    ledger.cancel([(delivery, "expired")], now=datetime.now(UTC))
    assert read()["marktlotse_deliveries_total", "email", "fake", "cancelled"] == 1


def test_open_states_and_the_queue() -> None:
    now = datetime.now(UTC)
    claimed_delivery(now, key="held")
    pending_deliveries(4, now - timedelta(minutes=10))
    found = read()
    assert found["marktlotse_deliveries_open", "email", "fake", "pending"] == 4
    assert found["marktlotse_deliveries_open", "email", "fake", "claimed"] == 1
    assert 600 <= found["marktlotse_queue_oldest_due_seconds", "mail"] < 660
    assert found["marktlotse_queue_oldest_due_seconds", "account"] == 0
    assert ("marktlotse_queue_messages", "mail") in found


def test_providers_quotas_and_refused_tokens(sendgrid: SendGridSimulator) -> None:
    ProviderQuota.of("sendgrid", per_day=10)
    ids = pending_deliveries(12, datetime.now(UTC))
    assert send_batch(ids, clock=timezone.now) == 9  # one in ten is kept for account mails
    found = read()
    assert found["marktlotse_quota_limit", "sendgrid", "day"] == 10
    assert found["marktlotse_quota_used", "sendgrid", "day"] == 9
    assert found["marktlotse_limiter_refusals_total", "spent", "sendgrid"] == 1
    assert found["marktlotse_provider_paused", "sendgrid"] == 0
    sendgrid.refuse(401)
    FakeSource("other")
    ProviderQuota.objects.update(per_day=None)
    send_batch(pending_deliveries(1, datetime.now(UTC), kind="other"), clock=timezone.now)
    found = read()
    assert found["marktlotse_provider_paused", "sendgrid"] == 1
    assert found["marktlotse_provider_pauses_total", "refused", "sendgrid"] == 1


def test_events_are_counted_once() -> None:
    event = ReportedEvent("sendgrid", "e1", EventKind.COMPLAINED, datetime.now(UTC))
    for _time in range(2):
        receive([event, event], now=datetime.now(UTC))
    found = read()
    assert found["marktlotse_delivery_events_total", "complained", "sendgrid"] == 1


def test_runs_by_tier() -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    for hours, due in ((3, 5), (2, 7)):
        at = now - timedelta(hours=hours)
        run = {"frequency": "daily", "occurrence": at, "cutoff": at, "started_at": at}
        ReportRun.objects.create(**run, finished_at=at + timedelta(seconds=90 + hours), due=due)
    at = now - timedelta(minutes=1)
    run = {"frequency": "hourly", "occurrence": at, "cutoff": at, "started_at": at}
    ReportRun.objects.create(**run)
    # An operator has run one agent: the tier itself has not been fired.
    run = {"frequency": "daily", "occurrence": at, "cutoff": at, "started_at": at, "due": 1}
    ReportRun.objects.create(**run, is_for_one_agent=True)
    found = read()
    assert found["marktlotse_runs_total", "daily"] == 2
    assert found["marktlotse_run_counts_total", "due", "daily"] == 12
    assert found["marktlotse_run_last_duration_seconds", "daily"] == 92
    started = (now - timedelta(hours=2)).timestamp()
    assert found["marktlotse_run_last_start_timestamp_seconds", "daily"] == started
    assert found["marktlotse_run_unfinished_seconds", "daily"] == 0
    assert 60 <= found["marktlotse_run_unfinished_seconds", "hourly"] < 120


def test_signs_of_life() -> None:
    redis, now = pulse.server(), datetime.now(UTC).timestamp()
    assert read()["marktlotse_beat_last_pulse_timestamp_seconds",] == 0
    pulse.write_beat(redis, 1_800_000_000.5)
    signs = pulse.WorkerSigns(
        name="celery@one", machine="elsewhere", pid=1, written_at=now, queues=["mail", "reports"],
        places=4, busy=2, held=0, oldest_at=now - 30, started_at=now - 5, is_alone=False,
    )  # fmt: skip
    pulse.write_worker(redis, signs)
    try:
        found = read()
    finally:
        pulse.forget_worker(redis, signs.key)
    assert found["marktlotse_beat_last_pulse_timestamp_seconds",] == 1_800_000_000.5
    assert found["marktlotse_queue_workers", "mail"] == 1
    assert found["marktlotse_queue_workers", "account"] == 0
    assert found["marktlotse_worker_busy", "celery@one#1"] == 2
    assert found["marktlotse_worker_oldest_task_seconds", "celery@one#1"] == pytest.approx(30)


def test_pages_are_counted_by_status(client: Client) -> None:
    name = "django_http_responses_total_by_status_total"
    before = read().get((name, "404"), 0)
    client.get("/no-such-page/")
    assert read()[name, "404"] == before + 1


def test_few_statements() -> None:
    with CaptureQueriesContext(connection) as queries:
        read()
    asked = [query["sql"] for query in queries if query["sql"].lstrip().startswith("SELECT")]
    assert len(asked) == 14
