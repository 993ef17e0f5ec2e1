"""Sweeps at the same moment: every row is taken up once, and none is lost."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier

import pytest
from django.db import connection

from notifications import ledger
from notifications.messages import Message
from notifications.models import Delivery
from notifications.providers import get_provider
from notifications.sweep import Swept, sweep
from tests.factories.deliveries import pending_deliveries

pytestmark = pytest.mark.django_db(transaction=True)
NOW = datetime.now(tz=UTC)
LEASE = timedelta(minutes=5)
SWEEPS = 4
ROWS = 200


def lose(ids: list[int], *, in_call: bool) -> None:
    """A worker claims these, perhaps starts to hand them over, and is never heard of again."""
    lost = ledger.claim(ids, now=NOW, limit=len(ids), lease=LEASE)
    if in_call:
        ledger.start_dispatching(lost, provider="outbox", now=NOW, lease=LEASE)


def test_four_sweeps_take_up_each_row_once() -> None:
    claimed, unsent, sent = (pending_deliveries(ROWS, NOW, kind) for kind in "abc")
    lose(claimed, in_call=False)
    lose(unsent + sent, in_call=True)
    with get_provider("outbox") as provider:
        for pk in sent:
            provider.send(pk, Message("a@example.com", "x", "y"))
    barrier = Barrier(SWEEPS)

    def one(_number: int) -> Swept:
        try:
            connection.ensure_connection()
            barrier.wait()
            return sweep(now=NOW + 2 * LEASE)
        finally:
            connection.close()

    with ThreadPoolExecutor(SWEEPS) as pool:
        results = list(pool.map(one, range(SWEEPS)))
    results.append(sweep(now=NOW + 2 * LEASE))
    assert sum(result.freed for result in results) == ROWS
    assert sum(result.settled for result in results) == 2 * ROWS
    assert sum(result.enqueued for result in results) == 2 * ROWS
    states = {
        kind: set(Delivery.objects.filter(kind=kind).values_list("state", flat=True))
        for kind in "abc"
    }
    assert states == {"a": {"pending"}, "b": {"pending"}, "c": {"sent"}}
