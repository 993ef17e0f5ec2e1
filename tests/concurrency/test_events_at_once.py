"""The same report several times at once, beside workers that record: stored once, no deadlock."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Barrier
from typing import Any

import pytest
from django.db import connection
from pytest_django import Settings

from notifications import ledger
from notifications.models import Delivery, DeliveryEvent, SpamReport, Suppression
from tests.factories.deliveries import FakeSource, dispatching_delivery
from tests.providers.signed_events import PUBLIC_KEY, event, post

pytestmark = pytest.mark.django_db(transaction=True)
NOW = datetime.now(UTC)
REPORTS = 4
ROWS = 60


def test_four_reports_of_the_same_events_store_each_once(settings: Settings) -> None:
    settings.SENDGRID_WEBHOOK_PUBLIC_KEY = PUBLIC_KEY
    source = FakeSource()
    deliveries = [dispatching_delivery(NOW, key=f"d{n}") for n in range(ROWS)]
    words = ("delivered", "spamreport", "group_unsubscribe")
    events = [event(row, words[n % 3]) for n, row in enumerate(deliveries)]
    barrier = Barrier(REPORTS + 1)

    def report(number: int) -> tuple[int, int]:
        """Whatever is answered with 503 comes again, as SendGrid does it."""
        mine = events[number:] + events[:number]
        try:
            connection.ensure_connection()
            barrier.wait()
            for attempt in range(20):
                response = post(*(reversed(mine) if number % 2 else mine))
                if response.status_code == 200:
                    return response.json()["new"], attempt
                assert response.status_code == 503
        finally:
            connection.close()
        raise AssertionError

    def work(rows: list[Delivery]) -> None:
        try:
            connection.ensure_connection()
            barrier.wait()
            ledger.record_sent([(row, "m") for row in reversed(rows)], now=NOW)
        finally:
            connection.close()

    with ThreadPoolExecutor(REPORTS + 1) as pool:
        reports: list[Any] = [pool.submit(report, number) for number in range(REPORTS)]
        worker = pool.submit(work, deliveries)
        news = [each.result()[0] for each in reports]
        worker.result()
    assert sum(news) == DeliveryEvent.objects.count() == ROWS
    assert set(Delivery.objects.values_list("state", flat=True)) == {"sent"}
    assert len(source.unsubscribed) == len(set(source.unsubscribed)) == ROWS // 3
    assert Suppression.objects.count() == SpamReport.objects.count() == ROWS // 3
