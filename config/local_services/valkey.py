"""The embedded Valkey: its configuration, and who may connect."""

from __future__ import annotations

import hashlib
import signal
import socket
from pathlib import Path

from .binaries import VALKEY, programs_for
from .locks import LockFile
from .server import Server
from .state import new_secret, read_secret, write_privately

ANSWER_SECONDS = 1.0


class Valkey(Server):
    service = "valkey"
    label = "Valkey"
    # It saves and ends; killed, it loses what the last second wrote.
    stop_signals = ((signal.SIGTERM, 20.0), (signal.SIGKILL, 5.0))

    def prepare(self, lock: LockFile) -> None:
        """See that there are programs, a data folder and a password."""
        self.programs = programs_for(VALKEY, self.home, self.account)
        self.account.run(["mkdir", "-p", str(self.data)], pass_fds=(lock.fd,))
        if read_secret(self.home, self.service) is None:
            write_privately(self.home.secret(self.service), new_secret())

    def command(self, port: int) -> list[str]:
        write_privately(Path(self.own_argument), self._configuration(port), mode=0o644)
        return [self.programs.valkey_server, self.own_argument]

    @property
    def own_argument(self) -> str:
        return str(self.home.folder / "valkey.conf")

    def recorded_pid(self) -> int | None:
        try:
            text = self._pid_file.read_text("utf-8", "replace").strip()
        except FileNotFoundError:
            return None
        return int(text) if text.isdigit() else None

    def is_ready(self, port: int) -> bool:
        password = read_secret(self.home, self.service)
        address = ("127.0.0.1", port)
        try:
            with socket.create_connection(address, timeout=ANSWER_SECONDS) as connection:
                connection.sendall(f"AUTH {password}\r\nPING\r\n".encode())
                with connection.makefile("rb") as answers:
                    return [answers.readline(), answers.readline()] == [b"+OK\r\n", b"+PONG\r\n"]
        except OSError:
            return False

    def url(self, port: int) -> str:
        return f"redis://:{read_secret(self.home, self.service)}@127.0.0.1:{port}/0"

    @property
    def _pid_file(self) -> Path:
        return self.data / "valkey.pid"

    def _configuration(self, port: int) -> str:
        password = read_secret(self.home, self.service) or ""
        # Only the hash stands in the file, which the server's account must be able to read.
        digest = hashlib.sha256(password.encode()).hexdigest()
        lines = [
            "bind 127.0.0.1",
            f"port {port}",
            f"dir {quoted(self.data)}",
            f"pidfile {quoted(self._pid_file)}",
            # The command line stays as it is: it proves whose process it is.
            "set-proc-title no",
            "databases 64",
            # A broker must refuse new messages rather than drop old ones.
            "maxmemory-policy noeviction",
            "appendonly yes",
            "appendfsync everysec",
            'save ""',
            f"user default on #{digest} ~* &* +@all",
        ]
        return "\n".join(lines) + "\n"


def quoted(path: Path) -> str:
    """A path as one word of a Valkey configuration file."""
    return '"' + str(path).replace("\\", "\\\\").replace('"', '\\"') + '"'
