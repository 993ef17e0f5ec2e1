"""A PostgreSQL of a test's own: really killed or stopped, and started again with its data."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from django.core.management import call_command
from django.db import connection

from config.local_services.home import ROOTS_PLACE, Home
from config.local_services.postgres import Postgres
from tests.outages import wait_until


class OwnPostgres:
    """A server on a port of its own, in a temporary folder; as root it runs as somebody else."""

    def __init__(self, folder: Path) -> None:
        self._server = Postgres(Home(folder))
        self.url = ""

    def start(self) -> None:
        """Serve, with whatever the data were; always at the same address."""
        url = self._server.start()
        assert self.url in ("", url)
        self.url = url

    def end(self, by: signal.Signals) -> None:
        """SIGKILL as a crash does, SIGINT as an administrator's fast shutdown; wait for it."""
        pid = self._server.pid()
        assert pid is not None
        os.kill(pid, by)
        # Its lock is free when the last of its processes is gone.
        wait_until(lambda: self._server.pid() is None and not self._server.is_held())

    def stop(self) -> None:
        """Whatever state it is in."""
        self._server.stop()


@contextmanager
def own_postgres() -> Iterator[OwnPostgres]:
    """Django talks to a server of its own, with every table made, until the end of the block."""
    # Root's temporary folders are closed to the account that PostgreSQL then runs as.
    folder = Path(tempfile.mkdtemp(dir=ROOTS_PLACE if os.geteuid() == 0 else None))
    folder.chmod(0o711)
    server = OwnPostgres(folder)
    before = dict(connection.settings_dict)
    connection.close()
    try:
        server.start()
        address = urlsplit(server.url)
        connection.settings_dict.update(
            HOST=address.hostname, PORT=address.port, USER=address.username,
            PASSWORD=address.password, NAME=address.path.lstrip("/"),
        )  # fmt: skip
        call_command("migrate", verbosity=0)
        yield server
    finally:
        connection.close()
        connection.settings_dict.update(before)
        server.stop()
        shutil.rmtree(folder)
