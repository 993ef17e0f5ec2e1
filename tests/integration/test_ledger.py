"""The ledger: which change takes effect from which state, and what goes with it."""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from notifications import ledger
from notifications.ledger import NewDelivery
from notifications.models import Delivery, MailContent, Reason, State
from tests.factories.deliveries import FakeSource, claimed_delivery, dispatching_delivery, new

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
LEASE = timedelta(minutes=5)


def test_opening_answers_the_new_ids_in_the_order_asked() -> None:
    ids = ledger.open_deliveries([new("b", NOW), new("a", NOW), new("c", NOW)])
    assert list(Delivery.objects.order_by("id").values_list("idempotency_key", flat=True)) == [
        "b",
        "a",
        "c",
    ]
    assert ids == {d.idempotency_key: d.pk for d in Delivery.objects.all()}


def test_a_new_delivery_is_pending_due_and_counts_as_enqueued_when_created() -> None:
    until = NOW + timedelta(hours=72)
    ledger.open_deliveries(
        [NewDelivery("digest:1:2", "fake", None, "a@example.com", 7, NOW, until)]
    )
    row = Delivery.objects.get()
    assert (row.state, row.attempts, row.reason) == ("pending", 0, "")
    assert (row.next_attempt_at, row.enqueued_at, row.created_at) == (NOW, NOW, NOW)
    assert (row.subject_id, row.expires_at, row.channel) == (7, until, "email")


def test_opening_again_answers_only_what_is_new() -> None:
    first = ledger.open_deliveries([new("a", NOW)])
    second = ledger.open_deliveries([new("a", NOW), new("b", NOW), new("b", NOW)])
    assert set(first) == {"a"}
    assert set(second) == {"b"}
    assert Delivery.objects.count() == 2


def test_opening_nothing_is_fine() -> None:
    assert ledger.open_deliveries([]) == {}


def test_opening_two_thousand_takes_one_statement_and_little_time() -> None:
    rows = [new(f"digest:1:{n}", NOW) for n in range(2000)]
    with CaptureQueriesContext(connection) as queries:
        started = time.perf_counter()
        ids = ledger.open_deliveries(rows)
        seconds = time.perf_counter() - started
    assert len(ids) == 2000
    assert len(queries) == 1
    assert seconds < 1.0
