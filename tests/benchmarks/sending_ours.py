"""Our sender, in a process of its own as a worker is: planned digests, composed and handed over.

    python -m tests.benchmarks.sending_ours DATABASE

Everything from the claim to the record is timed, rendering too, but not what a worker reads at its
start.
"""

from __future__ import annotations

import json
import sys
import time
from itertools import islice

from django.utils import timezone

from config.worker_start import read_ahead
from notifications.models import Delivery, DispatchLimits
from notifications.sending import send_batch
from tests.benchmarks import scratch


def _batches() -> list[list[int]]:
    """What waits, in batches as the queue would bring it."""
    waiting = Delivery.objects.filter(state="pending").order_by("pk")
    ids = iter(waiting.values_list("pk", flat=True))
    batches = []
    while batch := list(islice(ids, DispatchLimits.current().batch_size)):
        batches.append(batch)
    return batches


def main(database: str) -> None:
    scratch.connect_to(database)
    read_ahead()
    started, cpu = time.perf_counter(), time.process_time()
    sent = 0
    # On a slow machine a batch may have its turn before it is through: the rest comes again.
    while waiting := _batches():
        sent += sum(send_batch(batch, clock=timezone.now) for batch in waiting)
    print(
        json.dumps(
            {
                "sent": sent,
                "seconds": time.perf_counter() - started,
                "cpu_seconds": time.process_time() - cpu,
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
