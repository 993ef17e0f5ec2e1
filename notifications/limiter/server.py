"""The Redis that limits and sent marks live in: a few connections a process, and no long waits."""

from __future__ import annotations

from functools import cache

from django.conf import settings
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as LineError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as NoAnswer
from redis.retry import Retry

TIMEOUT_SECONDS = 2
# What a Redis that is away, full, loading or read-only raises. Nobody may be sent anything then.
REDIS_ERRORS = (RedisError, OSError)


def server() -> Redis:
    """The server that `REDIS_URL` names; every command raises one of `REDIS_ERRORS` at worst."""
    return _server(settings.REDIS_URL)


@cache
def _server(url: str) -> Redis:
    # One more try: a kept connection may be one to a server that has been restarted since.
    return Redis.from_url(
        url,
        decode_responses=True,
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 1),
        retry_on_error=[LineError, NoAnswer],
    )
