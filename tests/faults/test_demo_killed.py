"""A running demonstration heals from the death of whatever runs in it."""

import os
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.demonstration import Place, made_place

pytestmark = [
    pytest.mark.serial,
    pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are found in /proc"),
]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    yield from made_place(tmp_path, "demonstration_that_is_killed")


def test_workers_beat_and_web_come_back_and_lost_connections_end_quietly(place: Place) -> None:
    demo = place.start()
    try:
        site = site_of(demo)
        before = children_of(demo.pid)
        assert sorted(before) == ["beat", "web", "worker"]
        for name, pid in before.items():
            os.kill(pid, signal.SIGKILL)
            wait_until(partial(is_another, demo.pid, name, pid))
        wait_until(lambda: answers(site))
        assert demo.poll() is None
        terminated = place.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        assert (True,) in terminated
        wait_until(lambda: answers(site))
        assert place.run("--once").stderr.count("Another demonstration is using") == 1
    finally:
        demo.send_signal(signal.SIGINT)
        _, err = demo.communicate(timeout=90)
    assert demo.returncode == 0, err
    assert err.count("exit code -9); starting it again") == 3
    assert "Traceback" not in err
    assert place.connections() == 0


def site_of(demo: "subprocess.Popen[str]") -> str:
    """The site's address, once everything runs."""
    assert demo.stdout is not None
    said = ""
    for line in demo.stdout:
        said += line
        if "Ctrl-C stops everything" in line:
            break
    found = re.search(r"The site +(http://127\.0\.0\.1:\d+)/", said)
    assert found, said
    return found[1]


def children_of(pid: int) -> dict[str, int]:
    """Its living processes by what they are."""
    found = {}
    for child in map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()):
        try:
            command = Path(f"/proc/{child}/cmdline").read_bytes()
        except FileNotFoundError:
            continue
        for name, word in (("worker", b"\0worker\0"), ("beat", b"\0beat\0"), ("web", b"gunicorn")):
            if word in command:
                found[name] = child
    return found


def is_another(demo: int, name: str, pid: int) -> bool:
    return children_of(demo).get(name, pid) != pid


def answers(site: str) -> bool:
    try:
        with urllib.request.urlopen(f"{site}/", timeout=10) as response:  # noqa: S310 - ours
            return int(response.status) == 200
    except (urllib.error.URLError, OSError):
        return False


def wait_until(holds: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.2)
