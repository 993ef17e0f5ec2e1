"""Signs of life of workers and beat, kept in Redis, and pulses that go through the queues.

Chosen so that nothing is flooded and nobody who is busy is called stuck:

- Each **worker** writes every 5 seconds, from the loop that takes tasks, what it does: its queues,
  how many tasks it may run at once, how many it runs and since when, and when it last started one.
  A loop that is frozen writes nothing, which is noticed after 30 seconds; `inspect ping` would not
  tell who is missing, and makes everybody wait. A worker that is stopped on purpose takes its
  entry away. One that was killed is forgotten after 15 minutes, or at once on its own machine.
- **Beat** writes at every round of its loop, at most every 5 seconds. What it stores in the
  database is minutes old.
- Beat puts a **pulse** into each queue, and the next one only when a worker has run the last one,
  or after an hour: without workers six messages an hour, whatever happens. A queue whose pulse
  waits is no fault by itself: a million mails may stand before it. But a worker that has a place
  free, takes from that queue, and has started nothing for a minute is stuck, although it writes.
- A worker with no place free works, until a task runs longer than any task may.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import cache

from django.conf import settings
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

EVERY = timedelta(seconds=5)
# So long after its death a worker is missed by others.
REMEMBERED = timedelta(minutes=15)
PULSE_AGAIN = timedelta(hours=1)
WORKERS, BEAT, WAITING = "pulse:workers", "pulse:beat", "pulse:waiting"
TIMEOUT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class WorkerSigns:
    """What a worker wrote last; times are seconds since 1970."""

    name: str
    machine: str
    pid: int
    written_at: float
    queues: list[str]
    places: int
    busy: int
    # Taken from a queue, and given to nobody yet.
    held: int
    # The start of the task that runs longest; 0 when none runs.
    oldest_at: float
    # When it last started a task, or itself.
    started_at: float
    # It can write nothing while a task runs.
    is_alone: bool

    @property
    def key(self) -> str:
        """What it is kept under."""
        return key_of(self.name, self.pid)

    @property
    def is_gone(self) -> bool:
        """Whether it ran on this machine and has ended."""
        return self.machine == socket.gethostname() and not _exists(self.pid)


def key_of(name: str, pid: int) -> str:
    """Two workers of one machine may have the same name."""
    return f"{name}#{pid}"


def write_worker(redis: Redis, signs: WorkerSigns) -> None:
    """Keep what a worker says of itself. Raises redis' errors."""
    with redis.pipeline(transaction=False) as commands:
        commands.set(f"{WORKERS}:{signs.key}", json.dumps(asdict(signs)), ex=REMEMBERED)
        commands.zadd(WORKERS, {signs.key: signs.written_at})
        forgotten = signs.written_at - REMEMBERED.total_seconds()
        commands.zremrangebyscore(WORKERS, "-inf", forgotten)
        commands.execute()


def forget_worker(redis: Redis, key: str) -> None:
    """It stops on purpose."""
    with redis.pipeline(transaction=False) as commands:
        commands.delete(f"{WORKERS}:{key}")
        commands.zrem(WORKERS, key)
        commands.execute()


def workers(redis: Redis) -> list[WorkerSigns]:
    """Everybody who has written lately and has not said goodbye, by name."""
    keys = sorted(str(key) for key in redis.zrange(WORKERS, 0, -1))
    if not keys:
        return []
    texts = redis.mget([f"{WORKERS}:{key}" for key in keys])
    signs = [WorkerSigns(**json.loads(text)) for text in texts if text]
    return [one for one in signs if not one.is_gone]


def write_beat(redis: Redis, at: float) -> None:
    """Beat's loop goes round."""
    redis.set(BEAT, at)


def beat_wrote_at(redis: Redis) -> float | None:
    """When beat wrote last, in seconds since 1970; None: never."""
    text = redis.get(BEAT)
    return float(text) if text else None


def queues_without_pulse(redis: Redis, queues: Sequence[str], at: float) -> list[str]:
    """Those that shall get a pulse now; they count as having one from now on."""
    waiting = redis.hgetall(WAITING)
    earliest = at - PULSE_AGAIN.total_seconds()
    wanted = [name for name in queues if float(waiting.get(name, 0)) <= earliest]
    if wanted:
        redis.hset(WAITING, mapping=dict.fromkeys(wanted, at))
    return wanted


def pulse_arrived(redis: Redis, queue: str) -> None:
    """A worker has run the pulse of this queue."""
    redis.hdel(WAITING, queue)


def waiting_pulses(redis: Redis) -> dict[str, float]:
    """Queue → when the pulse that nobody has run yet was sent, in seconds since 1970."""
    return {str(name): float(text) for name, text in redis.hgetall(WAITING).items()}


def server() -> Redis:
    """Redis for signs of life, asked without patience: they are written in the workers' loop."""
    return _server(settings.REDIS_URL, os.getpid())


@cache
def _server(url: str, _pid: int) -> Redis:
    return Redis.from_url(
        url,
        decode_responses=True,
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 1),
    )


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
