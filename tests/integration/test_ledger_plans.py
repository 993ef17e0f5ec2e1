"""How PostgreSQL looks deliveries up: by their ids, whatever its statistics say of their states."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from notifications.ledger import changes, claim
from notifications.models import Delivery
from tests.factories.deliveries import pending_deliveries

pytestmark = pytest.mark.django_db(transaction=True)
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
LEASE = timedelta(minutes=5)
Change = Callable[[list[Delivery]], object]


def start(deliveries: list[Delivery]) -> object:
    return changes.start_dispatching(deliveries, provider="smtp", now=NOW, lease=LEASE)


def record(deliveries: list[Delivery]) -> object:
    start(deliveries)
    return changes.record_sent([(delivery, "7") for delivery in deliveries], now=NOW)


@pytest.mark.parametrize("make", [start, record])
def test_a_change_looks_up_ids_though_hardly_any_row_was_in_that_state_lately(make: Change) -> None:
    ids = pending_deliveries(1000, NOW)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE notifications_delivery")
    claimed = claim(ids, now=NOW, limit=1000, lease=LEASE)
    with CaptureQueriesContext(connection) as queries:
        make(claimed[:50])
    [*_, statement] = [each["sql"] for each in queries if "UPDATE" in each["sql"]]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {statement}")
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "delivery_leased" not in plan
    assert "delivery_by_subject" not in plan
