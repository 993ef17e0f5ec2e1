"""The finished mails for the other senders, composed in a process of its own as a worker is.

    python -m tests.benchmarks.sending_texts DATABASE TEXTS

TEXTS becomes a file of JSON lines. What composing them took is told: nothing is remembered from a
mail composed before, or the others' mails would come cheaper than ours.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from config.worker_start import read_ahead
from notifications.messages import Message
from notifications.models import Delivery
from notifications.sources import source_of
from tests.benchmarks import scratch

BATCH_SIZE = 500


def main(database: str, path: str) -> None:
    scratch.connect_to(database)
    read_ahead()
    deliveries = list(Delivery.objects.order_by("pk"))
    size, seconds, cpu = 0, 0.0, 0.0
    with Path(path).open("w", encoding="utf-8") as file:
        for start in range(0, len(deliveries), BATCH_SIZE):
            started, cpu_before = time.perf_counter(), time.process_time()
            composed = source_of("digest").compose(deliveries[start : start + BATCH_SIZE])
            seconds += time.perf_counter() - started
            cpu += time.process_time() - cpu_before
            for message in composed.values():
                assert isinstance(message, Message)
                file.write(_as_json(message) + "\n")
                size += len(message.text.encode()) + len(message.html.encode())
    print(
        json.dumps(
            {
                "kilobytes": size / len(deliveries) / 1000,
                "composing_seconds": seconds,
                "composing_cpu_seconds": cpu,
            }
        )
    )


def _as_json(message: Message) -> str:
    fields = ("to", "subject", "text", "html", "headers")
    return json.dumps({name: getattr(message, name) for name in fields})


if __name__ == "__main__":
    main(*sys.argv[1:])
