"""The life of one embedded server: adopt or start it, see whether it runs, stop it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar

from .errors import UnableToStartService
from .home import Home
from .locks import LockFile
from .processes import was_started_with
from .state import choose_port, is_free, read_secret, recorded_port

PATIENCE_SECONDS = 90.0
PAUSE_SECONDS = 0.02
MOST_LOG_BYTES = 5_000_000


class Server(ABC):
    """One server of a home. Only the keeper of that home may start or stop it.

    Every process of the server inherits the server's lock, so a free lock proves that
    none is left, and no second one ever opens the same data.
    """

    service: ClassVar[str]
    label: ClassVar[str]
    # Signals that end the server, mildest first, each with the seconds it gets.
    stop_signals: ClassVar[tuple[tuple[signal.Signals, float], ...]]

    def __init__(self, home: Home) -> None:
        self.home = home
        self.account = home.make_servers_folder()
        self.data = home.servers / self.service
        # Kept open: it still tells of our own server when the folder was deleted and made anew.
        self._probe = LockFile(home.server_lock(self.service))
        self._child: subprocess.Popen[bytes] | None = None
        self._log_start = 0

    @abstractmethod
    def prepare(self, lock: LockFile) -> None:
        """Make ready what a start needs; `lock` is ours and goes to every program run."""

    @abstractmethod
    def command(self, port: int) -> list[str]:
        """The command line that serves on `port`."""

    @property
    @abstractmethod
    def own_argument(self) -> str:
        """The argument by which a process proves to be this very server."""

    @abstractmethod
    def recorded_pid(self) -> int | None:
        """The process id that the server wrote down, which may be stale."""

    @abstractmethod
    def is_ready(self, port: int) -> bool:
        """Whether it serves requests on `port`."""

    @abstractmethod
    def url(self, port: int) -> str:
        """The URL with the password, for the users."""

    def is_held(self) -> bool:
        """Whether any process of the server lives, serving or not."""
        if not self._probe.try_exclusive():
            return True
        self._probe.release()
        return False

    def pid(self) -> int | None:
        """The id of the running server, proven to be ours."""
        if self._child is not None:
            return self._child.pid if self._child.poll() is None else None
        recorded = self.recorded_pid()
        if recorded is None or not self.is_held():
            return None
        return recorded if was_started_with(recorded, self.own_argument) else None

    def start(self) -> str:
        """Make it run, adopting one that an earlier keeper left, and give its URL."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        if read_secret(self.home, self.service) is None:
            self.stop()  # a running one whose password is lost is of use to nobody
        while self.is_held():
            port = recorded_port(self.home, self.service)
            if self.pid() is not None and port is not None and self.is_ready(port):
                return self.url(port)
            self._wait_until(deadline, "An earlier one neither serves nor ends.")
        with LockFile(self.home.server_lock(self.service)) as lock:
            if not lock.try_exclusive():
                raise self._failure("Somebody else is starting it.")
            self.prepare(lock)
            for _ in range(3):
                port = choose_port(self.home, self.service)
                if self._launch(port, lock, deadline):
                    return self.url(port)
        raise self._failure("Every port that was tried was taken meanwhile.")

    def stop(self) -> None:
        """End it as cleanly as it lets us; what is not proven to be ours is not touched."""
        for number, patience in self.stop_signals:
            pid = self.pid()
            if pid is None:
                break
            os.kill(pid, number)
            deadline = time.monotonic() + patience
            while (self.pid() is not None or self.is_held()) and time.monotonic() < deadline:
                time.sleep(PAUSE_SECONDS)
        self._child = None

    def _launch(self, port: int, lock: LockFile, deadline: float) -> bool:
        """Start it and wait until it serves; False when the port was taken."""
        self._child = self._spawn(self.command(port), lock)
        while not self.is_ready(port):
            if self._child.poll() is not None:
                if not is_free(port):
                    return False
                raise self._failure("It ended at once.")
            self._wait_until(deadline, "It does not get ready.")
        return True

    def _spawn(self, command: list[str], lock: LockFile) -> subprocess.Popen[bytes]:
        log = self.home.log(self.service)
        if log.exists() and log.stat().st_size > MOST_LOG_BYTES:
            log.replace(log.with_suffix(".log.1"))
        with log.open("ab") as output:
            self._log_start = output.tell()
            try:
                return subprocess.Popen(  # noqa: S603 - commands of our own
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    pass_fds=(lock.fd,),
                    **self.account.popen_options(),
                )
            except OSError as error:
                raise self._failure(str(error)) from error

    def _wait_until(self, deadline: float, reason: str) -> None:
        if time.monotonic() > deadline:
            self.stop()
            raise self._failure(reason)
        time.sleep(PAUSE_SECONDS)

    def _failure(self, reason: str) -> UnableToStartService:
        log = self.home.log(self.service)
        return UnableToStartService(f"{reason}\n{tail(log, self._log_start)}".strip())


def tail(log: Path, start: int = 0, lines: int = 20) -> str:
    """The last lines of `log` behind byte `start`, introduced by its path; "" if there are none."""
    try:
        with log.open("rb") as file:
            file.seek(start)
            text = file.read().decode("utf-8", "replace").strip()
    except FileNotFoundError:
        return ""
    return f"The end of {log}:\n" + "\n".join(text.splitlines()[-lines:]) if text else ""
