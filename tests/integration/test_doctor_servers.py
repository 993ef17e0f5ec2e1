"""What `doctor` says of versions and clocks of the servers, and of a Redis that is hard to ask."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from django.utils import timezone
from pytest_django import Settings

from operations.checks.clock import check_clock
from operations.checks.database import check_database
from operations.checks.redis import check_redis
from operations.reach import Answer, Reach


@pytest.fixture
def reach() -> Iterator[Reach]:
    servers = Reach(timezone.now())
    yield servers
    servers.close()


@contextmanager
def other_redis(ahead_seconds: float = 0, information: str = "") -> Iterator[str]:
    """The address of a server that speaks Redis' protocol, with its own clock and information."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                line, _address = listener.accept()
                threading.Thread(target=talk, args=(line,), daemon=True).start()

    def talk(line: socket.socket) -> None:
        with suppress(OSError):
            while data := line.recv(65_536):
                for command in data.split(b"*")[1:]:
                    line.sendall(answer(command.split(b"\r\n")[2].upper()))

    def answer(command: bytes) -> bytes:
        if command == b"PING":
            return b"+PONG\r\n"
        if command == b"TIME":
            seconds = str(int(time.time() + ahead_seconds)).encode()
            return b"*2\r\n$%d\r\n%s\r\n$1\r\n0\r\n" % (len(seconds), seconds)
        if command == b"INFO":
            return b"$%d\r\n%s\r\n" % (len(information), information.encode())
        # Hosted servers forbid some commands.
        return b"-ERR unknown command\r\n"

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"redis://127.0.0.1:{listener.getsockname()[1]}/0?protocol=2"
    finally:
        listener.close()


@pytest.mark.parametrize("version", [150_000, 180_004])
def test_versions_of_postgresql_that_are_tested(reach: Reach, version: int) -> None:
    reach.database = Answer(version)
    assert check_database(reach).message == f"PostgreSQL {version // 10_000} answers."


@pytest.mark.parametrize("version", [140_012, 190_000])
def test_versions_of_postgresql_that_are_not(reach: Reach, version: int) -> None:
    reach.database = Answer(version)
    check = check_database(reach)
    assert check.message == f"This is PostgreSQL {version // 10_000}."
    assert check.remedy == "Use PostgreSQL 15 to 18."


def test_clocks_that_agree(reach: Reach) -> None:
    reach.database = Answer(150_000, 1.9)
    assert check_clock(reach).message == "The clocks agree to within 1.9 seconds."


def test_clocks_that_do_not(reach: Reach, settings: Settings) -> None:
    reach.database = Answer(150_000, -3.25)
    # Whole seconds only: between 59 and 60 ahead.
    with other_redis(ahead_seconds=60) as settings.REDIS_URL:
        check = check_clock(reach)
    second = check.message.rpartition("The clock of ")[2]
    assert check.message.startswith(
        "The clock of PostgreSQL is 3.2 seconds behind this machine's. The clock of Redis is "
    )
    assert 58.9 < float(second.split()[2]) <= 60
    assert second.endswith(" seconds ahead of this machine's.")
    assert "timedatectl set-ntp true" in check.remedy


def test_a_hosted_redis_that_forbids_config_tells_its_policy_by_info(
    reach: Reach, settings: Settings
) -> None:
    told = "redis_version:7.2.4\r\nmaxmemory_policy:volatile-lru\r\naof_enabled:1\r\n"
    with other_redis(information=told) as settings.REDIS_URL:
        check = check_redis(reach)
    assert check.message.endswith("its maxmemory-policy is volatile-lru.")


def test_an_old_redis(reach: Reach, settings: Settings) -> None:
    with other_redis(information="redis_version:6.2.1\r\n") as settings.REDIS_URL:
        check = check_redis(reach)
    assert (check.message, check.remedy) == (
        "This is Redis 6.2.1.", "Use Redis 7 or newer, or Valkey."
    )  # fmt: skip


def test_a_redis_that_keeps_everything(reach: Reach, settings: Settings) -> None:
    told = "redis_version:7.2.4\r\nvalkey_version:9.0.1\r\nmaxmemory_policy:noeviction\r\n"
    with other_redis(information=f"{told}aof_enabled:1\r\n") as settings.REDIS_URL:
        assert check_redis(reach).message == "Valkey 9.0.1 answers and evicts nothing."
    with other_redis(information=f"{told}aof_enabled:0\r\n") as settings.REDIS_URL:
        again = check_redis(Reach(timezone.now()))
    assert again.ok
    assert "It keeps no append-only file: set “appendonly yes”" in again.message
