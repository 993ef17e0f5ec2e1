"""The queues: how much each holds, and how long what it is for has waited."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from notifications import account_mail
from notifications.models import State
from notifications.queueing import ACCOUNT_QUEUE, MAIL_QUEUE
from operations.dashboard.links import Links
from operations.queue_lag import queue_lags


@dataclass(frozen=True, slots=True)
class Queue:
    """One queue; see `operations.queue_lag.QueueLag`."""

    name: str
    messages: int | None
    oldest_wait: timedelta | None
    href: str


def queues(*, now: datetime, links: Links) -> list[Queue]:
    """Every queue, the most urgent first. Queues of other tasks have no rows to show."""
    due = {"state__exact": State.PENDING.value, "next_attempt_at__lte": now}
    hrefs = {
        ACCOUNT_QUEUE: links.deliveries(**due, kind=account_mail.KIND),
        MAIL_QUEUE: links.deliveries(**due),
    }
    return [
        Queue(lag.queue, lag.messages, lag.oldest_wait, hrefs.get(lag.queue, ""))
        for lag in queue_lags(now=now)
    ]
