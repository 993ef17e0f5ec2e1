"""The keeper: one detached process that keeps the servers while anybody uses them.

It holds the keeper lock, inherited from the process that spawned it, for its whole life.
Users ask it for a service by a request file and read its answer in the state file. When no
user is left for a while it stops the servers and goes.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from .errors import UnableToStartService
from .home import Home
from .locks import LockFile
from .postgres import Postgres
from .server import Server
from .state import (
    State,
    forget_requests,
    forget_state,
    is_requested,
    request,
    settle_request,
    write_state,
)
from .valkey import Valkey

TICK_SECONDS = 0.2
LINGER_SECONDS = 2.0


def servers_of(home: Home) -> list[Server]:
    return [Postgres(home), Valkey(home)]


class Keeper:
    """The loop of the keeper process; whoever makes one holds the keeper lock."""

    def __init__(self, home: Home, keeper_lock: LockFile) -> None:
        self.home = home
        self.keeper_lock = keeper_lock
        self.users_lock = LockFile(home.users_lock)
        self.servers = servers_of(home)
        self.state = State(keeper=os.getpid())
        self._idle_since: float | None = None
        self._told_to_stop = False

    def run(self) -> None:
        """Serve until the last user left, or until told to stop."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        write_state(self.home, self.state)
        self._adopt_orphans()
        try:
            while not self._is_time_to_stop():
                self._replace_the_dead()
                self._answer_requests()
                time.sleep(TICK_SECONDS)
        finally:
            self._leave()

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._told_to_stop = True

    def _adopt_orphans(self) -> None:
        # Servers of a keeper that was killed: nobody else would ever stop them.
        for server in self.servers:
            if server.is_held():
                request(self.home, server.service)

    def _replace_the_dead(self) -> None:
        for server in self.servers:
            if server.service in self.state.urls and server.pid() is None:
                _log(f"{server.label} died; starting it again")
                del self.state.urls[server.service]
                write_state(self.home, self.state)
                request(self.home, server.service)

    def _answer_requests(self) -> None:
        for server in self.servers:
            if is_requested(self.home, server.service):
                self._answer(server)
                # The answer is readable before the request is gone: users rely on it.
                write_state(self.home, self.state)
                settle_request(self.home, server.service)

    def _answer(self, server: Server) -> None:
        if server.service in self.state.urls:
            return
        self.state.errors.pop(server.service, None)
        try:
            self.state.urls[server.service] = server.start()
            _log(f"{server.label} runs")
        except (UnableToStartService, OSError) as error:
            _log(f"{server.label}: {error}")
            self.state.errors[server.service] = str(error)

    def _is_time_to_stop(self) -> bool:
        """Whether to go now; unless told to, only with the users' lock taken and kept."""
        if self._told_to_stop or is_requested(self.home, "forced-stop"):
            return True
        if not self.users_lock.is_current():
            return True  # the folder was deleted: new users meet elsewhere
        if not self.users_lock.try_exclusive():
            self._idle_since = None
            settle_request(self.home, "stop")
            return False
        now = time.monotonic()
        if self._idle_since is None:
            self._idle_since = now
        if now - self._idle_since >= LINGER_SECONDS or is_requested(self.home, "stop"):
            return True
        self.users_lock.release()
        return False

    def _leave(self) -> None:
        for server in self.servers:
            server.stop()
        if self.users_lock.is_current():  # else they are those of the next keeper
            forget_state(self.home)
            forget_requests(self.home)
        # In this order: whoever gets the users' lock next must find no keeper.
        self.keeper_lock.close()
        self.users_lock.close()


def _log(text: str) -> None:
    stamp = time.strftime("%Y-%m-%d %H:%M:%S %z")
    sys.stderr.write(f"{stamp} [{os.getpid()}] {text}\n")
    sys.stderr.flush()


def main(folder: str, keeper_lock_fd: str) -> None:
    """Become the keeper of the home in `folder`; the lock is the open file of that number."""
    # A child of init, not of the process that spawned us: nobody there would wait for us.
    if os.fork():
        os._exit(0)
    os.umask(0o077)
    home = Home(Path(folder))
    lock = LockFile(home.keeper_lock, int(keeper_lock_fd))
    # The servers and their programs must not hold the keeper's lock.
    os.set_inheritable(lock.fd, False)
    Keeper(home, lock).run()
