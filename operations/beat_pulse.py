"""Beat with signs of life: each round of its loop is written down, and queues get pulses."""

from __future__ import annotations

import logging
import time
from typing import Any

from django_celery_beat.schedulers import DatabaseScheduler
from redis.exceptions import RedisError

from operations import pulse
from operations.queue_lag import queue_names

logger = logging.getLogger(__name__)

PULSE = "operations.tasks.pulse"
PULSES_EVERY_SECONDS = 30.0


class PulsingScheduler(DatabaseScheduler):
    """The schedule of the admin, as ever. Without Redis or the broker beat goes on all the same."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._wrote_at = self._pulsed_at = 0.0
        super().__init__(*args, **kwargs)

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """One round, and then its sign."""
        delay: float = super().tick(*args, **kwargs)
        now = time.time()
        # A clock that was put back must not silence it.
        if abs(now - self._wrote_at) >= pulse.EVERY.total_seconds():
            self._wrote_at = now
            self._write(now)
        return min(delay, pulse.EVERY.total_seconds())

    def _write(self, now: float) -> None:
        try:
            pulse.write_beat(pulse.server(), now)
            if abs(now - self._pulsed_at) >= PULSES_EVERY_SECONDS:
                self._pulsed_at = now
                for queue in pulse.queues_without_pulse(pulse.server(), queue_names(), now):
                    self._send(queue)
        except (RedisError, OSError) as error:
            logger.warning("Redis is away (%s); no sign of life.", type(error).__name__)

    def _send(self, queue: str) -> None:
        try:
            self.send_task(
                PULSE,
                kwargs={"queue": queue},
                queue=queue,
                expires=pulse.PULSE_AGAIN.total_seconds(),
                retry=False,
                producer=self.producer,
            )
        except Exception as error:  # each transport has errors of its own
            logger.warning("The broker took no pulse (%s).", type(error).__name__)
            pulse.pulse_arrived(pulse.server(), queue)
