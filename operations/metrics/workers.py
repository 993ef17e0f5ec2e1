"""Signs of life of beat and of the workers (`operations.pulse`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from prometheus_client.core import GaugeMetricFamily, Metric

from operations import pulse
from operations.pulse import WorkerSigns
from operations.queue_lag import queue_names


def families(now: datetime) -> Iterator[Metric]:
    """Raises one of redis' errors."""
    redis = pulse.server()
    beat = GaugeMetricFamily(
        "marktlotse_beat_last_pulse_timestamp_seconds",
        "When beat's loop went round last; 0: it never has.",
    )
    beat.add_metric([], pulse.beat_wrote_at(redis) or 0)
    yield beat
    everybody = pulse.workers(redis)
    yield _by_queue(everybody)
    yield from _by_worker(everybody)
    yield _pulses(pulse.waiting_pulses(redis), now)


def _by_queue(everybody: Sequence[WorkerSigns]) -> Metric:
    family = GaugeMetricFamily(
        "marktlotse_queue_workers", "Workers that take from this queue.", labels=["queue"]
    )
    for queue in queue_names():
        family.add_metric([queue], sum(queue in worker.queues for worker in everybody))
    return family


def _by_worker(everybody: Sequence[WorkerSigns]) -> Iterator[Metric]:
    last = GaugeMetricFamily(
        "marktlotse_worker_last_pulse_timestamp_seconds",
        "When this worker wrote its last sign of life.",
        labels=["worker"],
    )
    busy = GaugeMetricFamily(
        "marktlotse_worker_busy", "Tasks that this worker runs now.", labels=["worker"]
    )
    places = GaugeMetricFamily(
        "marktlotse_worker_places",
        "Tasks that this worker can run at the same time.",
        labels=["worker"],
    )
    longest = GaugeMetricFamily(
        "marktlotse_worker_oldest_task_seconds",
        "How long its oldest task had been running at its last sign of life; 0: it runs none.",
        labels=["worker"],
    )
    for worker in everybody:
        last.add_metric([worker.key], worker.written_at)
        busy.add_metric([worker.key], worker.busy)
        places.add_metric([worker.key], worker.places)
        running = worker.written_at - worker.oldest_at if worker.busy and worker.oldest_at else 0
        longest.add_metric([worker.key], max(0.0, running))
    yield from (last, busy, places, longest)


def _pulses(waiting: dict[str, float], now: datetime) -> Metric:
    family = GaugeMetricFamily(
        "marktlotse_queue_pulse_waiting_seconds",
        "How long the pulse that beat put into this queue has been waiting; 0: it was run.",
        labels=["queue"],
    )
    for queue in queue_names():
        sent_at = waiting.get(queue)
        age = now.timestamp() - sent_at if sent_at is not None else 0
        family.add_metric([queue], max(0.0, age))
    return family
