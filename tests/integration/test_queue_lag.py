"""The lag of the queues: what the broker holds, and how long due rows have waited."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from config.celery import app
from notifications import account_mail, ledger
from notifications.queueing import enqueue
from operations.queue_lag import QueueLag, queue_lags, queue_lengths, queue_names
from tests.factories.deliveries import FakeSource, new, pending_deliveries

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 12, 2, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def _empty() -> None:
    app.control.purge()
    FakeSource()


def by_name() -> dict[str, QueueLag]:
    return {lag.queue: lag for lag in queue_lags(now=NOW)}


def test_nothing_waits() -> None:
    assert list(by_name()) == ["account", "default", "webhooks", "reports", "campaigns", "mail"]
    assert by_name()["mail"] == QueueLag("mail", 0, timedelta(0))
    assert by_name()["reports"] == QueueLag("reports", 0, None)


def test_messages_and_the_oldest_due_row_of_each_queue() -> None:
    ids = pending_deliveries(3, NOW - 7 * MINUTE)
    pending_deliveries(1, NOW + MINUTE, kind="later")
    account = new("account:1", NOW - 2 * MINUTE, kind=account_mail.KIND)
    ledger.open_deliveries([account])
    enqueue(ids)
    assert by_name()["mail"] == QueueLag("mail", 1, 7 * MINUTE)
    assert by_name()["account"] == QueueLag("account", 0, 2 * MINUTE)


def test_what_is_not_due_yet_does_not_lag() -> None:
    pending_deliveries(2, NOW + MINUTE)
    assert by_name()["mail"].oldest_wait == timedelta(0)


def test_two_questions_to_the_database() -> None:
    pending_deliveries(5, NOW)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        queue_lags(now=NOW)
    assert len(queries) == 2


def test_a_broker_that_is_away_is_asked_once() -> None:
    urls = {name: app.conf[name] for name in ("broker_url", "broker_write_url")}
    app.conf.update(dict.fromkeys(urls, "redis://127.0.0.1:9/0"))
    try:
        assert queue_lengths(queue_names()) == dict.fromkeys(queue_names())
    finally:
        app.conf.update(urls)
