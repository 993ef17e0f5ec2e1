"""The processes of the demonstration end with it, however it ends."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from demo.children import Children
from demo.errors import UnableToRunDemo


@pytest.fixture
def _own_signals() -> Iterator[None]:
    """Leaving `Children` ignores signals; the other tests need theirs."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.usefixtures("_own_signals")
def test_a_child_that_was_killed_is_started_again(tmp_path: Path) -> None:
    told: list[str] = []
    with Children(tmp_path, {}, told.append) as children:
        child = children.start("worker", ("-c", "import time; print('up'); time.sleep(60)"))
        wait_for_text(child.log, "up\n")
        children.revive()
        first = child.process
        first.kill()
        first.wait()
        children.revive()
        assert child.process.pid != first.pid
        wait_for_text(child.log, "up\nup\n")
        assert told == ["The worker ended (exit code -9); starting it again"]


@pytest.mark.usefixtures("_own_signals")
def test_a_child_that_keeps_ending_is_reported_with_the_end_of_its_log(tmp_path: Path) -> None:
    with Children(tmp_path, {}) as children:
        child = children.start("worker", ("-c", "print('out of memory'); raise SystemExit(3)"))
        for _ in range(2):
            child.process.wait()
            children.revive()
        child.process.wait()
        with pytest.raises(UnableToRunDemo, match=r"exit code 3\) again and again") as caught:
            children.revive()
    assert str(caught.value).count("out of memory") == 3
    assert str(tmp_path / "worker.log") in str(caught.value)


@pytest.mark.usefixtures("_own_signals")
def test_deaths_that_are_far_apart_are_no_reason_to_give_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("demo.children.QUICK_SECONDS", 0)
    with Children(tmp_path, {}) as children:
        child = children.start("worker", ("-c", "pass"))
        for _ in range(5):
            child.process.wait()
            children.revive()


@pytest.mark.usefixtures("_own_signals")
def test_what_a_killed_child_has_left_behind_is_ended(tmp_path: Path) -> None:
    code = (
        "import os, signal, time\n"
        "if os.fork() == 0:\n"
        "    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "    print(os.getpid(), flush=True)\n"
        "time.sleep(60)\n"
    )
    with Children(tmp_path, {}) as children:
        child = children.start("worker", ("-c", code))
        wait_for_text(child.log, "\n")
        orphan = int(child.log.read_text())
        child.process.kill()
        child.process.wait()
        assert is_running(orphan)
        children.revive()
        assert not is_running(orphan)


@pytest.mark.usefixtures("_own_signals")
def test_children_finish_what_they_have_in_hand(tmp_path: Path) -> None:
    code = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: (print('finished'), sys.exit(0)))\n"
        "print('ready')\n"
        "time.sleep(60)\n"
    )
    with Children(tmp_path, {}) as children:
        child = children.start("worker", ("-c", code))
        wait_for_text(child.log, "ready")
    assert child.process.returncode == 0
    assert child.log.read_text().splitlines() == ["ready", "finished"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's end")
def test_children_end_even_when_the_parent_is_killed(tmp_path: Path) -> None:
    child = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    parent = (
        "import time, pathlib, django\n"
        "django.setup()\n"
        "from demo.children import Children\n"
        f"Children(pathlib.Path({str(tmp_path)!r}), {{}}).start('worker', ('-c', {child!r}))\n"
        "time.sleep(60)\n"
    )
    log = tmp_path / "worker.log"
    process = subprocess.Popen([sys.executable, "-c", parent])
    try:
        wait_for_text(log, "\n")
    finally:
        process.kill()
        process.wait()
    child_id = int(log.read_text())
    deadline = time.monotonic() + 10
    while is_running(child_id):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def wait_for_text(log: Path, text: str) -> None:
    deadline = time.monotonic() + 30
    while not (log.exists() and text in log.read_text()):
        assert time.monotonic() < deadline, log
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    """Whether the process lives; one that only waits to be buried does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
