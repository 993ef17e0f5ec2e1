"""All metrics as one text. What cannot be asked is left out, and said to be down."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from django.db import DatabaseError, connection, transaction
from prometheus_client import REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.multiprocess import MultiProcessCollector
from redis.exceptions import RedisError

from operations.metrics import counted, ledger, providers, queues, runs, workers

logger = logging.getLogger(__name__)

CONTENT_TYPE = CONTENT_TYPE_LATEST
# Prometheus gives up after ten seconds unless told otherwise: one slow question must not take all.
STATEMENT_MS = 4000
# How processes of gunicorn add up their requests: the variable is prometheus_client's.
SHARED_DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"

Source = Callable[[datetime], Iterable[Metric]]
# The store that each source asks.
SOURCES: tuple[tuple[str, Source], ...] = (
    ("database", ledger.families),
    ("database", runs.families),
    ("database", queues.oldest),
    ("database", providers.pauses),
    ("broker", queues.lengths),
    ("redis", counted.families),
    ("redis", providers.limits),
    ("redis", workers.families),
)


def exposition(*, now: datetime) -> bytes:
    """Everything that is known at `now`, in Prometheus' text format. Never raises for a store."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Ours(now))
    return generate_latest(registry) + generate_latest(_requests())


class _Ours:
    """A collector that asks every store; one that is down is asked no more."""

    def __init__(self, now: datetime) -> None:
        self._now = now

    def collect(self) -> Iterator[Metric]:
        """The families of all sources, and which stores answered."""
        up = {component: True for component, _source in SOURCES}
        for component, source in SOURCES:
            if not up[component]:
                continue
            try:
                yield from _asked(source, self._now, component)
            except (DatabaseError, RedisError, OSError, queues.BrokerIsAway) as error:
                up[component] = False
                logger.warning("No metrics of %s (%s)", component, type(error).__name__)
        family = GaugeMetricFamily(
            "marktlotse_up", "1 while this store answers, 0 while not.", labels=["component"]
        )
        for component, is_up in up.items():
            family.add_metric([component], int(is_up))
        yield family


def _asked(source: Source, now: datetime, component: str) -> list[Metric]:
    if component != "database":
        return list(source(now))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL statement_timeout = {STATEMENT_MS}")
        return list(source(now))


def _requests() -> CollectorRegistry:
    """What django-prometheus counts of pages: of all processes of this host, if they share."""
    if not os.environ.get(SHARED_DIRECTORY):
        return REGISTRY
    registry = CollectorRegistry()
    MultiProcessCollector(registry)
    return registry
