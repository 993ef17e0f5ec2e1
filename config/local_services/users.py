"""What a process that uses the services does: say so, and wait until they are there."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from .errors import UnableToStartService
from .home import Home, open_home
from .locks import LockFile
from .server import tail
from .state import State, forget_state, is_requested, read_state, request
from .watch import no_fork, watch_keeper

PATIENCE_SECONDS = 120.0
PAUSE_SECONDS = 0.02
MOST_KEEPERS = 3
BOOTSTRAP = """
import sys
sys.path.append(sys.argv[1])
from {}.keeper import main
main(*sys.argv[2:])
"""

# Open for the life of the process, and of its forked children.
_held: dict[Path, LockFile] = {}


@dataclass(frozen=True)
class ServiceUrls:
    """Where the services are; "" for one that was not needed."""

    database_url: str = ""
    redis_url: str = ""


def ensure_running(base_dir: Path, *, need_database: bool, need_redis: bool) -> ServiceUrls:
    """Make the needed services of the checkout `base_dir` run as long as this process lives.

    Cheap when they already run. Raises UnableToStartService, with the end of the server's
    log, when one does not start.
    """
    needs = {"postgres": need_database, "valkey": need_redis}
    wanted = [service for service, needed in needs.items() if needed]
    if not wanted:
        return ServiceUrls()
    home = open_home(base_dir)
    become_user(home)
    urls = _Waiting(home, wanted).until_ready().urls
    watch_keeper(home, lambda: _Waiting(home, wanted).until_ready())
    return ServiceUrls(
        database_url=urls["postgres"] if need_database else "",
        redis_url=urls["valkey"] if need_redis else "",
    )


def become_user(home: Home) -> LockFile:
    """Keep the services, once somebody starts them, up until this process ends.

    Gives the lock that says so: a program that inherits its open file is a user as well.
    """
    held = _held.get(home.folder)
    if held is None or not held.is_current():
        held = _held[home.folder] = _lock_shared(home)
    return held


def _lock_shared(home: Home) -> LockFile:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        lock = LockFile(home.users_lock)
        # A keeper that is just stopping the servers holds it; wait until it is done.
        if lock.try_shared() and lock.is_current():
            return lock
        lock.close()
        time.sleep(PAUSE_SECONDS)
    raise UnableToStartService(f"The keeper of {home.folder} does not finish stopping.")


class _Waiting:
    """One user's wait for services; spawns a keeper when there is none."""

    def __init__(self, home: Home, wanted: list[str]) -> None:
        self.home = home
        self.wanted = wanted
        self.requested = False
        self.keepers = 0

    def until_ready(self) -> State:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            if not self._spawned_keeper():
                state = read_state(self.home)
                if self._is_ready(state):
                    return state
                self._raise_failure(state)
                self._request(state)
            time.sleep(PAUSE_SECONDS)
        raise UnableToStartService(f"The local services did not start.\n{self._keeper_log()}")

    def _spawned_keeper(self) -> bool:
        with no_fork, LockFile(self.home.keeper_lock) as lock:
            if not lock.try_exclusive():
                return False
            if self.keepers == MOST_KEEPERS:
                text = "The keeper of the local services keeps dying."
                raise UnableToStartService(f"{text}\n{self._keeper_log()}")
            self.keepers += 1
            forget_state(self.home)
            self._request(State())
            _spawn_keeper(self.home, lock)
        return True

    def _is_ready(self, state: State) -> bool:
        if any(name not in state.urls for name in self.wanted):
            return False
        # A state left by a killed keeper may be read just before the next one's spawner
        # removes it: believed only if the servers answer and the state still stands.
        answered = all(_answers(state.urls[name]) for name in self.wanted)
        return answered and read_state(self.home) == state

    def _raise_failure(self, state: State) -> None:
        for name in self.wanted:
            if self.requested and name in state.errors and not is_requested(self.home, name):
                raise UnableToStartService(f"Unable to start {name}: {state.errors[name]}")

    def _request(self, state: State) -> None:
        for name in self.wanted:
            if name not in state.urls and not is_requested(self.home, name):
                request(self.home, name)
        self.requested = True

    def _keeper_log(self) -> str:
        return tail(self.home.keeper_log)


def _answers(url: str) -> bool:
    port = urlsplit(url).port
    try:
        socket.create_connection(("127.0.0.1", port or 0), timeout=1).close()
    except OSError:
        return False
    return True


def _spawn_keeper(home: Home, lock: LockFile) -> None:
    # The keeper imports this package by its own name, not through the project's: importing
    # `config` loads Celery, and it must never load the settings, which would call us again.
    package = Path(__file__).resolve().parent
    code = BOOTSTRAP.format(package.name)
    arguments = [str(package.parent), str(home.folder), str(lock.fd)]
    home.keeper_log.unlink(missing_ok=True)
    home.keeper_log.touch(mode=0o600)
    with home.keeper_log.open("ab") as log:
        subprocess.Popen(  # noqa: S603 - this very Python
            [sys.executable, "-P", "-c", code, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            pass_fds=(lock.fd,),
            start_new_session=True,
        ).wait()
