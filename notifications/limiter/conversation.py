"""Several commands to Redis in one round trip, and something useful to do while it answers.

redis-py's own pipeline waits for the answers as soon as it has asked, and keeps books for each
command that cost more than what is asked here for every message.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.connection import ConnectionInterface
from redis.retry import Retry

Command = Sequence[str | int]


def ask(redis: Redis, commands: Sequence[Command], meanwhile: Callable[[], None]) -> list[Any]:
    """The answers to all commands; `meanwhile` is called once, when they are on their way.

    Where a connection breaks, all are asked once more: they must bear being done twice. Raises
    one of `REDIS_ERRORS`; `meanwhile` may then not have been called.
    """
    pool, retry = redis.connection_pool, redis.get_retry() or Retry(NoBackoff(), 0)
    waiting = [meanwhile]

    def converse() -> list[Any]:
        connection = pool.get_connection()
        try:
            return _converse(connection, commands, waiting)
        except BaseException:
            # Whatever it still says would be taken for the answers to the next commands.
            connection.disconnect()
            raise
        finally:
            pool.release(connection)

    return retry.call_with_retry(converse, lambda error: None)


def _converse(
    connection: ConnectionInterface,
    commands: Sequence[Command],
    waiting: list[Callable[[], None]],
) -> list[Any]:
    connection.send_packed_command(connection.pack_commands(commands))
    while waiting:
        waiting.pop()()
    return [connection.read_response() for _command in commands]
