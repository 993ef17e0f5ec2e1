"""The worker, beat and web server of a demonstration: real processes that end with it."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
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
PAUSE_SECONDS = 0.05
TAIL_LINES = 25
PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


class Child:
    """One process in a group of its own: Ctrl-C at the terminal reaches only us."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], log: Path) -> None:
        self.name, self.process, self.log = name, process, log

    def check(self) -> None:
        """Raise UnableToRunDemo, with the end of its log, when the process is gone."""
        if (code := self.process.poll()) is not None:
            raise UnableToRunDemo(f"The {self.name} ended (exit code {code}).\n{self.log_tail()}")

    def log_tail(self) -> str:
        """The last lines of its log, and where the rest is."""
        lines = self.log.read_text("utf-8", "replace").splitlines()[-TAIL_LINES:]
        return "\n".join([f"The end of {self.log}:", *(f"    {line}" for line in lines)])


class Children:
    """Starts processes, and on leaving stops all of them, the last started first."""

    def __init__(self, logs: Path, environment: Mapping[str, str]) -> None:
        """`environment` is added to ours."""
        self.logs = logs
        self.environment = {**os.environ, **environment, "PYTHONUNBUFFERED": "1"}
        self._children: list[Child] = []

    def start(self, name: str, arguments: Sequence[str]) -> Child:
        """Run this Python with `arguments`; what it says goes to `<logs>/<name>.log`."""
        self.logs.mkdir(parents=True, exist_ok=True)
        log = self.logs / f"{name}.log"
        with log.open("wb") as file:
            process = subprocess.Popen(  # noqa: S603 - this very Python
                [sys.executable, *arguments],
                cwd=settings.BASE_DIR,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                start_new_session=True,
                preexec_fn=_end_with_parent,  # noqa: PLW1509 - no thread runs here
            )
        child = Child(name, process, log)
        self._children.append(child)
        return child

    def check(self) -> None:
        """Raise UnableToRunDemo when any of them is gone."""
        for child in self._children:
            child.check()

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


def _end_with_parent() -> None:
    """Between fork and exec: be told to stop even when the parent is killed outright."""
    if _libc is not None:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
