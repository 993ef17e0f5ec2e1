"""Counting what was handed over lately, for a Redis that forgot it, reads an index alone."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from notifications.limiter.gate import ProviderGate
from notifications.models import Delivery

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
ROWS = 20_000


@pytest.fixture(autouse=True)
def _a_ledger_of_many_days() -> None:
    """One mail a minute until now by two providers in turn, and as many that wait."""
    Delivery.objects.bulk_create(
        Delivery(
            idempotency_key=f"{state}:{minute}",
            kind="fake",
            address="a@example.com",
            state=state,
            provider="smtp" if minute % 2 else "sendgrid",
            dispatched_at=NOW - timedelta(minutes=minute) if state == "sent" else None,
        )
        for minute in range(ROWS // 2)
        for state in ("sent", "pending")
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE notifications_delivery")


def nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for child in plan.get("Plans", []) for node in nodes(child))]


def test_the_days_use_is_counted_by_provider_and_time() -> None:
    gate = ProviderGate("smtp", lambda: NOW)
    with CaptureQueriesContext(connection) as queries:
        assert gate._sent_within(timedelta(days=1)) == 720
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {queries[0]['sql']}")
        answer = cursor.fetchone()[0]
    [explained] = json.loads(answer) if isinstance(answer, str) else answer
    read = nodes(explained["Plan"])
    assert [node["Index Name"] for node in read if "Index Name" in node] == ["delivery_handed_over"]
    assert "Seq Scan" not in {node["Node Type"] for node in read}
