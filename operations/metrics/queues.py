"""The queues: how much the broker holds, and how long due deliveries have waited."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from prometheus_client.core import GaugeMetricFamily, Metric

from operations.queue_lag import oldest_waits, queue_lengths, queue_names


class BrokerIsAway(Exception):
    """Nobody can say how long the queues are."""


def lengths(_now: datetime) -> Iterator[Metric]:
    """Raises BrokerIsAway."""
    family = GaugeMetricFamily(
        "marktlotse_queue_messages",
        "Messages that no worker has taken yet: a batch of deliveries or a task each.",
        labels=["queue"],
    )
    for queue, number in queue_lengths(queue_names()).items():
        if number is None:
            raise BrokerIsAway
        family.add_metric([queue], number)
    yield family


def oldest(now: datetime) -> Iterator[Metric]:
    """Raises DatabaseError without the database."""
    family = GaugeMetricFamily(
        "marktlotse_queue_oldest_due_seconds",
        "How long the oldest delivery for this queue has been due; 0 when none is.",
        labels=["queue"],
    )
    for queue, wait in oldest_waits(now=now).items():
        family.add_metric([queue], wait.total_seconds())
    yield family
