"""How far the workers are behind: messages in each queue, and since when its oldest row is due.

The queue's length tells how much work the broker holds; the age of the oldest due row tells how
long people wait, also for what the broker has lost or nobody has put there yet. More workers help
where both grow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection

from notifications import account_mail
from notifications.queueing import ACCOUNT_QUEUE, MAIL_QUEUE, waiting_messages

NO_WAIT = timedelta(0)

# One look into an index each. Account mails are few and belong to no subject: the index by subject
# finds them among a million others that wait.
OLDEST_SQL = {
    ACCOUNT_QUEUE: """
        SELECT min(next_attempt_at) FROM notifications_delivery
        WHERE kind = %(account)s AND subject_id IS NULL AND state = 'pending'
          AND next_attempt_at <= %(now)s
    """,
    MAIL_QUEUE: """
        SELECT next_attempt_at FROM notifications_delivery
        WHERE state = 'pending' AND next_attempt_at <= %(now)s AND kind <> %(account)s
        ORDER BY next_attempt_at LIMIT 1
    """,
}


@dataclass(frozen=True, slots=True)
class QueueLag:
    """One queue of the broker.

    `messages` wait in it, a batch or a task each; None while the broker is away. `oldest_wait` is
    how long the oldest delivery for it has been due; None for queues that hold other tasks.
    """

    queue: str
    messages: int | None
    oldest_wait: timedelta | None


def queue_names() -> list[str]:
    """Every queue that workers look into, the most urgent first."""
    return [queue.name for queue in settings.CELERY_TASK_QUEUES]


def queue_lags(*, now: datetime) -> list[QueueLag]:
    """The lag of every queue, the most urgent first. Raises DatabaseError without the database."""
    lengths = queue_lengths(queue_names())
    waits = oldest_waits(now=now)
    return [QueueLag(name, lengths[name], waits.get(name)) for name in lengths]


def queue_lengths(names: Sequence[str]) -> dict[str, int | None]:
    """How many messages wait in each, by any broker that Celery speaks to; None: it is away."""
    lengths: dict[str, int | None] = dict.fromkeys(names)
    for name in names:
        lengths[name] = waiting_messages(name)
        if lengths[name] is None:
            break  # Each further question would wait for the time-out again.
    return lengths


def oldest_waits(*, now: datetime) -> dict[str, timedelta]:
    """How long the oldest due delivery of each sending queue waits; zero where nothing is due."""
    waits: dict[str, timedelta] = {}
    with connection.cursor() as cursor:
        for name, statement in OLDEST_SQL.items():
            cursor.execute(statement, {"now": now, "account": account_mail.KIND})
            row = cursor.fetchone()
            waits[name] = now - row[0] if row and row[0] else NO_WAIT
    return waits
