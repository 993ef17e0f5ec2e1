"""Our sender, in a process of its own as a worker is: planned digests, composed and handed over.

    python -m tests.benchmarks.sending_ours DATABASE

Everything from the claim to the record is timed, rendering too.
"""

from __future__ import annotations

import json
import sys
import time
from itertools import islice

from django.utils import timezone

from notifications.models import Delivery, DispatchLimits
from notifications.sending import send_batch
from tests.benchmarks import scratch


def main(database: str) -> None:
    scratch.connect_to(database)
    ids = iter(Delivery.objects.order_by("pk").values_list("pk", flat=True).all())
    batch_size = DispatchLimits.current().batch_size
    batches = []
    while batch := list(islice(ids, batch_size)):
        batches.append(batch)
    started, cpu = time.perf_counter(), time.process_time()
    sent = sum(send_batch(batch, clock=timezone.now) for batch in batches)
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
