"""Putting deliveries into the queue: batches of ids, and no long wait when the broker is away."""

import base64
import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest
import redis

from config.celery import app
from notifications.models import DispatchLimits
from notifications.queueing import enqueue

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def queue() -> Iterator[Any]:
    broker = redis.Redis.from_url(app.conf.broker_url)
    broker.delete("mail")
    yield broker
    broker.delete("mail")


def batches(queue: Any) -> list[list[int]]:
    """The ids of each message, oldest message first."""
    found = []
    for raw in reversed(queue.lrange("mail", 0, -1)):
        message = json.loads(raw)
        assert message["headers"]["task"] == "notifications.tasks.send_batch"
        assert message["content-encoding"] == "utf-8"
        body = json.loads(base64.b64decode(message["body"]))
        found.append(body[1]["delivery_ids"])
    return found


def test_ids_travel_in_batches_as_large_as_the_limit(queue: Any) -> None:
    DispatchLimits.objects.create(batch_size=3)
    enqueue([5, 6, 7, 8, 9, 10, 11])
    assert batches(queue) == [[5, 6, 7], [8, 9, 10], [11]]


def test_nothing_to_send_asks_nobody(queue: Any) -> None:
    enqueue([])
    assert batches(queue) == []


def test_a_refusing_or_silent_broker_is_given_up_soon_and_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(1)
        for url in ("redis://127.0.0.1:1/0", f"redis://127.0.0.1:{silent.getsockname()[1]}/0"):
            monkeypatch.setattr(app.conf, "broker_write_url", url)
            caplog.clear()
            started = time.monotonic()
            enqueue(list(range(1000)))
            assert time.monotonic() - started < 3
            assert "1000 deliveries wait for the sweep" in caplog.text
