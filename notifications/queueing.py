"""Putting deliveries into the queues. A queue is a hint: what it loses, the sweep finds again."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any

from celery import current_app
from kombu.exceptions import OperationalError

from notifications import account_mail, ledger
from notifications.models import DispatchLimits

logger = logging.getLogger(__name__)

SEND_BATCH = "notifications.tasks.send_batch"
MAIL_QUEUE = "mail"
# Somebody waits in front of a page for these: workers look into this queue first.
ACCOUNT_QUEUE = "account"
QUEUES = (ACCOUNT_QUEUE, MAIL_QUEUE)
# A person may be waiting for a page: give up soon, the sweep comes within seconds.
PATIENCE_SECONDS = 2
# In the words of Redis, RabbitMQ and SQS; each overlooks those of the others.
IMPATIENCE = {
    "max_retries": 0,
    "socket_connect_timeout": PATIENCE_SECONDS,
    "socket_timeout": PATIENCE_SECONDS,
    "read_timeout": PATIENCE_SECONDS,
    "write_timeout": PATIENCE_SECONDS,
    "client-config": {
        "connect_timeout": PATIENCE_SECONDS,
        "read_timeout": PATIENCE_SECONDS,
        "retries": {"total_max_attempts": 1},
    },
}


def queue_of(kind: str) -> str:
    """The queue in which deliveries of this kind wait."""
    return ACCOUNT_QUEUE if kind == account_mail.KIND else MAIL_QUEUE


def enqueue(delivery_ids: Sequence[int], *, queue: str = MAIL_QUEUE) -> int:
    """Ask the workers to send these, a batch a message; call it once the rows are committed.

    `transaction.on_commit(partial(enqueue, ids))`. Answers how many the broker took; the others,
    when it is away, are left to the next sweep.
    """
    if not delivery_ids:
        return 0
    batch_size = DispatchLimits.current().batch_size
    taken = 0
    try:
        with impatient_connection() as connection:
            for batch in _batches(delivery_ids, batch_size):
                task = current_app.signature(SEND_BATCH, kwargs={"delivery_ids": batch})
                # Celery would write out all the ids a second time, for its log.
                told = f"{len(batch)} deliveries"
                task.apply_async(connection=connection, retry=False, queue=queue, kwargsrepr=told)
                taken += len(batch)
    except Exception as error:  # each transport has errors of its own; the rows are committed
        left = delivery_ids[taken:]
        logger.warning(
            "The broker is away (%s); %d deliveries wait for the sweep.",
            type(error).__name__,
            len(left),
        )
        ledger.forget_enqueued(left)
    return taken


def waiting_messages(queue: str) -> int | None:
    """How many batches wait in a queue that no worker has taken; None when the broker is away."""
    connection = impatient_connection()
    try:
        with connection, connection.channel() as channel:
            return int(channel.queue_declare(queue, passive=True).message_count)
    except Exception as error:  # each transport has errors of its own
        # To SQS a server that is away is a fault of a channel, too.
        if _is_missing_queue(connection, error):
            return 0  # Nobody has put anything there yet.
        logger.warning("The broker is away (%s).", type(error).__name__)
        return None


def impatient_connection() -> Any:
    """A connection that fails soon, where Celery's own would try for ever."""
    options = {**current_app.conf.broker_transport_options, **IMPATIENCE}
    return current_app.connection_for_write(
        transport_options=options, connect_timeout=PATIENCE_SECONDS
    )


def _is_missing_queue(connection: Any, error: Exception) -> bool:
    return isinstance(error, connection.channel_errors) and not isinstance(
        error, (OperationalError, OSError, *connection.connection_errors)
    )


def _batches(ids: Sequence[int], size: int) -> Iterator[list[int]]:
    for start in range(0, len(ids), size):
        yield list(ids[start : start + size])
