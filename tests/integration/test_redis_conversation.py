"""Several commands to Redis in one round trip, while something else is done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from django.conf import settings
from redis import Redis
from redis.exceptions import RedisError

from notifications.limiter.conversation import ask
from notifications.limiter.server import server

KEY = "conversation"


@pytest.fixture(autouse=True)
def _no_key() -> Iterator[None]:
    server().delete(KEY)
    yield
    server().delete(KEY)


def nothing() -> None: ...


def cut(client_id: str) -> None:
    """End one line to the server, from a line of our own: others use the server too."""
    with closing(Redis.from_url(settings.REDIS_URL)) as other:
        assert other.client_kill_filter(_id=client_id) == 1


def test_answers_come_in_the_order_of_the_commands() -> None:
    commands = [("SET", KEY, "a"), ("SET", KEY, "b", "EX", 60, "NX", "GET"), ("GET", KEY)]
    assert ask(server(), commands, nothing) == ["OK", "a", "a"]


def test_something_is_done_once_while_redis_answers() -> None:
    seen: list[bytes | str] = []

    def look() -> None:
        # By another connection: the command has been asked, and its answer not been read yet.
        while not (value := server().get(KEY)):
            pass
        seen.append(value)

    assert ask(server(), [("SET", KEY, "a")], look) == ["OK"]
    assert seen == ["a"]


def test_a_kept_connection_that_broke_is_replaced_and_nothing_is_done_twice() -> None:
    done: list[str] = []
    [client_id] = ask(server(), [("CLIENT", "ID")], nothing)
    cut(client_id)

    assert ask(server(), [("SET", KEY, "a")], lambda: done.append("once")) == ["OK"]
    assert done == ["once"]


def test_a_connection_that_breaks_while_it_is_asked_is_asked_again() -> None:
    [client_id] = ask(server(), [("CLIENT", "ID")], nothing)
    done: list[str] = []

    def cut_this_line() -> None:
        done.append("once")
        cut(client_id)

    assert ask(server(), [("SET", KEY, "a"), ("GET", KEY)], cut_this_line) == ["OK", "a"]
    assert done == ["once"]


def test_a_refused_command_leaves_no_answer_behind_for_the_next() -> None:
    commands = [("SET", KEY, "a"), ("INCR", KEY), ("GET", KEY)]
    with pytest.raises(RedisError, match="not an integer"):
        ask(server(), commands, nothing)
    assert ask(server(), [("GET", KEY), ("PING",)], nothing) == ["a", "PONG"]


def test_an_error_in_between_leaves_no_answer_behind_for_the_next() -> None:
    def fail() -> None:
        raise ValueError("meanwhile")

    with pytest.raises(ValueError, match="meanwhile"):
        ask(server(), [("SET", KEY, "a")], fail)
    assert ask(server(), [("GET", KEY), ("PING",)], nothing) == ["a", "PONG"]
