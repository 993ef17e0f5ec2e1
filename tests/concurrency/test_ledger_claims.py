"""Workers and sweeps at the same moment: nobody gets what another one has."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from typing import TypeVar

import pytest
from django.db import connection

from notifications import ledger
from notifications.models import Delivery
from tests.factories.deliveries import dispatching_delivery, pending_deliveries

pytestmark = pytest.mark.django_db(transaction=True)
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
LEASE = timedelta(minutes=5)
WORKERS = 4

Result = TypeVar("Result")


def at_once(work: Callable[[], Result]) -> list[Result]:
    """Run `work` in four threads that start together, each on its own connection."""
    barrier = Barrier(WORKERS)

    def one() -> Result:
        try:
            connection.ensure_connection()
            barrier.wait()
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(WORKERS) as pool:
        return [future.result() for future in [pool.submit(one) for _ in range(WORKERS)]]


def test_workers_that_claim_the_same_rows_share_them_without_overlap() -> None:
    ids = pending_deliveries(400, NOW)
    claims = at_once(lambda: ledger.claim(ids, now=NOW, limit=100, lease=LEASE))
    claimed = [delivery.pk for claim in claims for delivery in claim]
    assert len(claimed) == len(set(claimed))
    rest = ledger.claim(ids, now=NOW, limit=400, lease=LEASE)
    assert sorted([*claimed, *(delivery.pk for delivery in rest)]) == ids


def test_sweeps_at_once_enqueue_each_row_once() -> None:
    ids = pending_deliveries(300, NOW)
    later = NOW + timedelta(minutes=10)
    marked = at_once(
        lambda: ledger.mark_enqueued(now=later, older_than=later - timedelta(minutes=2), limit=1000)
    )
    assert sorted(pk for ids_of_one in marked for pk in ids_of_one) == ids


def test_planners_that_open_the_same_deliveries_make_each_once() -> None:
    opened = at_once(lambda: pending_deliveries(200, NOW))
    assert sorted(pk for ids in opened for pk in ids) == sorted(
        Delivery.objects.values_list("pk", flat=True)
    )
    assert Delivery.objects.count() == 200


def test_of_many_that_record_the_same_delivery_one_takes_effect() -> None:
    delivery = dispatching_delivery(NOW)
    effects = at_once(lambda: ledger.record_sent([(delivery, "id")], now=NOW))
    assert sorted(len(effect) for effect in effects) == [0, 0, 0, 1]
