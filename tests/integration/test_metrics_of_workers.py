"""What several processes count adds up in the one /metrics that Prometheus reads."""

from pathlib import Path

import pytest
from django.core.mail import send_mail
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from notifications.limiter.server import server
from notifications.measures import HASH
from notifications.models import Delivery, State
from operations.metrics import exposition
from tests.outages import wait_until, worker

MAILS = 24


def value(name: str, **labels: str) -> float:
    """One sample of what is told now; 0 where there is none."""
    text = exposition(now=timezone.now()).decode()
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if sample.name == name and sample.labels == labels:
                return sample.value
    return 0


@pytest.mark.django_db(transaction=True)
def test_two_workers_counts_add_up(tmp_path: Path, settings: Settings) -> None:
    settings.EMAIL_BACKEND = "notifications.email_backend.LedgerEmailBackend"
    server().delete(HASH)
    logs = [tmp_path / "one.log", tmp_path / "two.log"]
    with worker(logs[0], {}), worker(logs[1], {}):
        wait_until(lambda: all(b"ready." in log.read_bytes() for log in logs))
        for number in range(MAILS):
            send_mail("Hello", "Text", None, [f"person{number}@example.com"])
        is_sent = {"state": "sent", "kind": "account", "channel": "email"}
        wait_until(lambda: value("marktlotse_deliveries_total", **is_sent) >= MAILS, seconds=40)
    assert Delivery.objects.filter(state=State.SENT).count() == MAILS
    assert value("marktlotse_deliveries_total", **is_sent) == MAILS
    assert value("marktlotse_delivery_seconds_count", kind="account", channel="email") == MAILS
    asked = {"provider": "outbox", "answer": "accepted"}
    assert value("marktlotse_provider_request_seconds_count", **asked) == MAILS
    shares = [log.read_bytes().count(b"1 of 1 sent") for log in logs]
    assert sum(shares) == MAILS
    assert min(shares) > 0
