"""The cache of all processes, in Redis; while Redis is away, each process keeps its own.

Only attempts are counted here (and answers to repeated requests kept). Without Redis people must
still get in, and guessing passwords must still be slow: each process then counts for itself.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import ConnectionError as RedisIsAway
from redis.exceptions import TimeoutError as RedisIsSilent

logger = logging.getLogger(__name__)

# In seconds: so long nobody asks a Redis that did not answer.
REST = 5.0


def _shared_or_own(name: str) -> Callable[..., Any]:
    shared = getattr(RedisCache, name)

    def call(self: SharedCache, *args: Any, **kwargs: Any) -> Any:
        if time.monotonic() >= self.away_until:
            try:
                return shared(self, *args, **kwargs)
            except (RedisIsAway, RedisIsSilent) as error:
                type(self).away_until = time.monotonic() + REST
                logger.warning("Redis is away; attempts are counted by process: %s", error)
        return getattr(self.own, name)(*args, **kwargs)

    return call


class SharedCache(RedisCache):
    """Django's Redis cache, which falls back to the memory of the process."""

    # Of the process: each thread has a cache object of its own.
    away_until = 0.0

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self.own = LocMemCache("while-redis-is-away", {})

    add = _shared_or_own("add")
    get = _shared_or_own("get")
    set = _shared_or_own("set")
    touch = _shared_or_own("touch")
    delete = _shared_or_own("delete")
    has_key = _shared_or_own("has_key")
    incr = _shared_or_own("incr")
    get_many = _shared_or_own("get_many")
    set_many = _shared_or_own("set_many")
    delete_many = _shared_or_own("delete_many")
    clear = _shared_or_own("clear")
