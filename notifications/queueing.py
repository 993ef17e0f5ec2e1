"""Putting deliveries into the queue. The queue is a hint: what it loses, the sweep finds again."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from celery import current_app
from kombu import Connection
from kombu.exceptions import OperationalError

from notifications.models import DispatchLimits

logger = logging.getLogger(__name__)

SEND_BATCH = "notifications.tasks.send_batch"
# A person may be waiting for a page: give up soon, the sweep comes within seconds.
PUBLISH_TIMEOUT_SECONDS = 2


def enqueue(delivery_ids: Sequence[int]) -> None:
    """Ask the workers to send these, a batch a message; call it once the rows are committed.

    `transaction.on_commit(partial(enqueue, ids))`. A broker that is away is only logged.
    """
    if not delivery_ids:
        return
    batch_size = DispatchLimits.current().batch_size
    try:
        with _impatient_connection() as connection:
            for batch in _batches(delivery_ids, batch_size):
                task = current_app.signature(SEND_BATCH, kwargs={"delivery_ids": batch})
                task.apply_async(connection=connection, retry=False)
    except (OperationalError, OSError) as error:
        logger.warning(
            "The broker is away (%s); %d deliveries wait for the sweep.",
            type(error).__name__,
            len(delivery_ids),
        )


def _impatient_connection() -> Connection:
    """A connection that fails soon, where Celery's own would try for ever."""
    options = {
        "max_retries": 0,
        "socket_connect_timeout": PUBLISH_TIMEOUT_SECONDS,
        "socket_timeout": PUBLISH_TIMEOUT_SECONDS,
    }
    return current_app.connection_for_write(
        transport_options=options, connect_timeout=PUBLISH_TIMEOUT_SECONDS
    )


def _batches(ids: Sequence[int], size: int) -> Iterator[list[int]]:
    for start in range(0, len(ids), size):
        yield list(ids[start : start + size])
