"""The step of a Celery worker that writes its signs of life, from the loop that takes tasks."""

from __future__ import annotations

import logging
import os
import socket
import time
from typing import Any

from celery import bootsteps
from celery.worker import state
from redis.exceptions import RedisError

from operations import pulse
from operations.pulse import WorkerSigns

logger = logging.getLogger(__name__)


class WorkerPulse(bootsteps.StartStopStep):
    """Begins when the worker takes tasks; ends when it takes no more, or the broker is away."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, parent: Any, **kwargs: Any) -> None:
        super().__init__(parent, **kwargs)
        self._timer: Any = None
        self._count = -1
        self._started_at = 0.0

    def start(self, parent: Any) -> None:
        """Write at once, and then every few seconds."""
        self._count = -1
        self._write(parent)
        seconds = pulse.EVERY.total_seconds()
        self._timer = parent.timer.call_repeatedly(seconds, self._write, (parent,))

    def stop(self, parent: Any) -> None:
        """Say goodbye: tasks that run are finished, but no more are taken."""
        if self._timer is not None:
            parent.timer.cancel(self._timer)
            self._timer = None
        try:
            pulse.forget_worker(pulse.server(), pulse.key_of(parent.hostname, os.getpid()))
        except (RedisError, OSError) as error:
            logger.warning("Redis is away (%s); nobody is told.", type(error).__name__)

    shutdown = stop

    def _write(self, parent: Any) -> None:
        try:
            pulse.write_worker(pulse.server(), self._signs(parent, time.time()))
        except (RedisError, OSError) as error:
            logger.warning("Redis is away (%s); no sign of life.", type(error).__name__)

    def _signs(self, parent: Any, now: float) -> WorkerSigns:
        count = int(state.all_total_count[0])
        if count != self._count:
            self._count, self._started_at = count, now
        running = [request.time_start for request in state.active_requests if request.time_start]
        return WorkerSigns(
            name=parent.hostname,
            machine=socket.gethostname(),
            pid=os.getpid(),
            written_at=now,
            queues=sorted(queue.name for queue in parent.task_consumer.queues),
            places=int(parent.pool.num_processes or 1),
            busy=len(state.active_requests),
            held=len(state.reserved_requests) - len(state.active_requests),
            oldest_at=min(running, default=0.0),
            started_at=self._started_at,
            is_alone="solo" in type(parent.pool).__module__,
        )
