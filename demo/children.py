"""The worker, beat and web server of a demonstration: real processes that end with it."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from django.conf import settings

from demo.errors import UnableToRunDemo

QUEUES = "account,default,webhooks,reports,campaigns,mail"
WORKER = ("-m", "celery", "-A", "config", "worker", "-Q", QUEUES, "--concurrency", "2",
          "--hostname", "demo@%h", "--without-gossip", "--without-mingle",
          "--loglevel", "INFO")  # fmt: skip
# Without a file for its id: several checkouts may each have a beat.
BEAT = ("-m", "celery", "-A", "config", "beat", "--pidfile", "", "--loglevel", "INFO")
STOP_SECONDS = 30.0
# One that ends so soon, and so often in a row, will not do better the next time.
QUICK_SECONDS = 20.0
MOST_QUICK_DEATHS = 3
ORPHAN_SECONDS = 3.0
PAUSE_SECONDS = 0.05
TAIL_LINES = 25
PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


class Child:
    """One process in a group of its own: Ctrl-C at the terminal reaches only us."""

    def __init__(self, name: str, start: Callable[[], subprocess.Popen[bytes]], log: Path) -> None:
        """`start` begins it, each time anew."""
        self.name, self.log, self._start = name, log, start
        self._quick_deaths = 0
        self.start()

    def start(self) -> None:
        self._started = time.monotonic()
        self.process = self._start()

    def death(self) -> str | None:
        """What to say of its end; None while it lives."""
        code = self.process.poll()
        return None if code is None else f"The {self.name} ended (exit code {code})"

    def restart(self, death: str) -> None:
        """Begin anew; UnableToRunDemo, with the end of the log, when it keeps ending at once."""
        is_quick = time.monotonic() - self._started < QUICK_SECONDS
        self._quick_deaths = self._quick_deaths + 1 if is_quick else 0
        end_group(self.process.pid)
        if self._quick_deaths >= MOST_QUICK_DEATHS:
            raise UnableToRunDemo(f"{death} again and again.\n{self.log_tail()}")
        self.start()

    def log_tail(self) -> str:
        """The last lines of its log, and where the rest is."""
        lines = self.log.read_text("utf-8", "replace").splitlines()[-TAIL_LINES:]
        return "\n".join([f"The end of {self.log}:", *(f"    {line}" for line in lines)])


class Children:
    """Starts processes, and on leaving stops all of them, the last started first."""

    def __init__(
        self, logs: Path, environment: Mapping[str, str], tell: Callable[[str], None] | None = None
    ) -> None:
        """`environment` is added to ours; `tell` is told of deaths."""
        self.logs = logs
        self.environment = {**os.environ, **environment, "PYTHONUNBUFFERED": "1"}
        self._tell = tell or (lambda _text: None)
        self._children: list[Child] = []

    def start(self, name: str, arguments: Sequence[str]) -> Child:
        """Run this Python with `arguments`; what it says goes to `<logs>/<name>.log`."""
        self.logs.mkdir(parents=True, exist_ok=True)
        log = self.logs / f"{name}.log"
        log.write_bytes(b"")
        child = Child(name, lambda: self._spawn(arguments, log), log)
        self._children.append(child)
        return child

    def _spawn(self, arguments: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
        with log.open("ab") as file:
            return subprocess.Popen(  # noqa: S603 - this very Python
                [sys.executable, *arguments],
                cwd=settings.BASE_DIR,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                start_new_session=True,
                preexec_fn=_end_with_parent,  # noqa: PLW1509 - takes no lock of another thread
            )

    def revive(self) -> None:
        """Start again whichever has ended; UnableToRunDemo when one keeps ending."""
        for child in self._children:
            if death := child.death():
                self._tell(f"{death}; starting it again")
                child.restart(death)

    def stop(self) -> None:
        """Ask all to finish what they have in hand; kill whoever takes too long."""
        for child in reversed(self._children):
            if child.process.poll() is None:
                child.process.terminate()
        deadline = time.monotonic() + STOP_SECONDS
        for child in reversed(self._children):
            _wait_or_kill(child.process, deadline)
        self._children = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # A second Ctrl-C must not leave half of them behind.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        self.stop()


def _wait_or_kill(process: subprocess.Popen[bytes], deadline: float) -> None:
    while process.poll() is None:
        if time.monotonic() >= deadline:
            # Its children are of the same group.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return
        time.sleep(PAUSE_SECONDS)


def end_group(leader: int) -> None:
    """End what a process that is gone has left of its group: it may hold a port or a task."""
    deadline = time.monotonic() + ORPHAN_SECONDS
    try:
        os.killpg(leader, signal.SIGTERM)
        while time.monotonic() < deadline:
            os.killpg(leader, 0)
            time.sleep(PAUSE_SECONDS)
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:  # none is left
        return


def _end_with_parent() -> None:
    """Between fork and exec: be told to stop even when the parent is killed outright."""
    if _libc is not None:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
