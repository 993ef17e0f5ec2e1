"""Which servers answer: each is asked once in a run of checks, and waited for a short time only."""

from __future__ import annotations

import time
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

import psycopg2
from django.conf import settings
from django.db import connection
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

# The shortest that libpq knows, in seconds.
DATABASE_SECONDS = 2
REDIS_SECONDS = 2.0
LONGEST_WORDS = 200


class Answer(NamedTuple):
    """What the database says of itself, or why it does not answer (then `error` is not empty)."""

    version: int = 0
    clock_ahead_seconds: float = 0.0
    error: str = ""


class Reach:
    """The servers as one run of checks finds them, at `now`."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    @cached_property
    def database(self) -> Answer:
        """Over a connection of its own: Django's waits longer, and may be in a transaction."""
        try:
            return _ask_database()
        except psycopg2.Error as error:
            return Answer(error=in_short(error))

    @property
    def database_error(self) -> str:
        """Why the database does not answer; empty when it does."""
        return self.database.error

    @cached_property
    def redis(self) -> Redis:
        """The server that `REDIS_URL` names; asked without patience."""
        return Redis.from_url(
            settings.REDIS_URL,
            decode_responses=True,
            socket_timeout=REDIS_SECONDS,
            socket_connect_timeout=REDIS_SECONDS,
            retry=Retry(NoBackoff(), 0),
        )

    @cached_property
    def redis_error(self) -> str:
        """Why Redis does not answer; empty when it does."""
        try:
            self.redis.ping()
        except (RedisError, OSError) as error:
            return in_short(error)
        return ""

    def close(self) -> None:
        """Hang up."""
        if "redis" in self.__dict__:
            self.redis.close()


def _ask_database() -> Answer:
    wanted = {**connection.get_connection_params(), "connect_timeout": DATABASE_SECONDS}
    wanted.pop("cursor_factory", None)
    limit = f"-c statement_timeout={DATABASE_SECONDS * 1000}"
    wanted["options"] = " ".join(filter(None, [wanted.get("options", ""), limit]))
    line = psycopg2.connect(**wanted)
    try:
        with line.cursor() as cursor:
            before = time.time()
            cursor.execute("SELECT extract(epoch FROM clock_timestamp())")
            [(clock,)] = cursor.fetchall()
            middle = (before + time.time()) / 2
        return Answer(line.server_version, float(clock) - middle)
    finally:
        line.close()


def in_short(error: BaseException) -> str:
    """The error's words on one line; servers' addresses may stand in them, passwords do not."""
    words = " ".join(str(error).split()) or type(error).__name__
    return words[:LONGEST_WORDS]
