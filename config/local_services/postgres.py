"""The embedded PostgreSQL: its cluster, its settings, and who may connect."""

from __future__ import annotations

import locale
import re
import signal
from pathlib import Path

from .binaries import POSTGRES, programs_for
from .errors import UnableToStartService
from .locks import LockFile
from .processes import is_alive, was_started_with
from .server import Server
from .state import new_secret, read_secret, write_privately

ROLE = DATABASE = "marktlotse"
# TCP with a password rather than a socket: a checkout may lie too deep for a socket's path.
ACCESS = f"host all {ROLE} 127.0.0.1/32 scram-sha-256\n"
# The password is random, so iterations against guessing only make each connection slower.
SCRAM_ITERATIONS = 64


class Postgres(Server):
    service = "postgres"
    label = "PostgreSQL"
    # Fast shutdown; then the immediate one, from which the next start recovers.
    stop_signals = ((signal.SIGINT, 30.0), (signal.SIGQUIT, 10.0))

    def prepare(self, lock: LockFile) -> None:
        """Make the cluster if there is none, and see that this version can serve it."""
        self.programs = programs_for(POSTGRES, self.home, self.account)
        write_privately(self._access_file, ACCESS, mode=0o644)
        if not self.data.exists():
            self._make_cluster(lock)
        self._check_version()
        self._discard_stale_pid_file()
        if read_secret(self.home, self.service) is None:
            self._set_password(self.data, new_secret(), lock)

    def command(self, port: int) -> list[str]:
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(port),
            "unix_socket_directories": "",
            "hba_file": str(self._access_file),
            "max_connections": "200",
            "max_wal_size": "2GB",
            "jit": "off",
        }
        command = [self.programs.postgres, "-D", self.own_argument]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        return command

    @property
    def own_argument(self) -> str:
        return str(self.data)

    def recorded_pid(self) -> int | None:
        lines = self._pid_file_lines()
        return int(lines[0]) if lines and lines[0].strip().isdigit() else None

    def is_ready(self, port: int) -> bool:
        # The eighth line is what pg_ctl, too, waits for. The file of a killed server says
        # "ready" until the next one writes its own, hence the look at the process.
        lines = [line.strip() for line in self._pid_file_lines()]
        if len(lines) < 8 or lines[7] != "ready" or lines[3] != str(port):
            return False
        return self.recorded_pid() == self.pid()

    def url(self, port: int) -> str:
        password = read_secret(self.home, self.service)
        return f"postgres://{ROLE}:{password}@127.0.0.1:{port}/{DATABASE}"

    @property
    def _access_file(self) -> Path:
        return self.home.folder / "pg_hba.conf"

    @property
    def _pid_file(self) -> Path:
        return self.data / "postmaster.pid"

    def _pid_file_lines(self) -> list[str]:
        try:
            return self._pid_file.read_text("utf-8", "replace").splitlines()
        except FileNotFoundError:
            return []

    def _make_cluster(self, lock: LockFile) -> None:
        # Under another name until it is whole: a start that dies half-way leaves nothing
        # that the next one could take for a cluster.
        draft = self.data.with_name(f"{self.data.name}.new")
        self._run(["rm", "-rf", str(draft)], lock)
        self._run([self.programs.initdb, "-D", str(draft), *_initdb_options()], lock)
        password = read_secret(self.home, self.service) or new_secret()
        self._set_password(draft, password, lock)
        self._run_sql(draft, [f"CREATE DATABASE {DATABASE}"], lock)
        self._run(["mv", str(draft), str(self.data)], lock)

    def _set_password(self, data: Path, password: str, lock: LockFile) -> None:
        iterations = f"SET scram_iterations = {SCRAM_ITERATIONS}"
        self._run_sql(data, [iterations, f"ALTER ROLE {ROLE} PASSWORD '{password}'"], lock)
        write_privately(self.home.secret(self.service), password)

    def _run_sql(self, data: Path, statements: list[str], lock: LockFile) -> None:
        """Run one statement a line in single-user mode, while no server runs."""
        command = [self.programs.postgres, "--single", "-D", str(data)]
        command += ["-c", "exit_on_error=on", "postgres"]
        self._run(command, lock, stdin="\n".join(statements) + "\n")

    def _run(self, command: list[str], lock: LockFile, stdin: str = "") -> None:
        self.account.run(command, stdin=stdin, pass_fds=(lock.fd,))

    def _check_version(self) -> None:
        found = self._read_version()
        wanted = self.account.run([self.programs.postgres, "--version"])
        major = re.search(r"\d+", wanted)
        if major is None or found != major.group():
            raise UnableToStartService(
                f"The data in {self.data} is of PostgreSQL {found}, but "
                f"{wanted.strip()} is installed and cannot read it. Dump it with the old version "
                f"and load it again, or remove {self.home.folder} to begin with no data."
            )

    def _read_version(self) -> str:
        try:
            return (self.data / "PG_VERSION").read_text("utf-8").strip()
        except FileNotFoundError:
            return "an unknown version"

    def _discard_stale_pid_file(self) -> None:
        # PostgreSQL would refuse to start if an unrelated process has got the old id. Only
        # then is the file removed: with a dead id PostgreSQL sees for itself that it is stale.
        pid = self.recorded_pid()
        if pid is None or not is_alive(pid):
            return
        if was_started_with(pid, self.own_argument):
            raise UnableToStartService(f"Process {pid}, not started from here, serves {self.data}.")
        self.account.run(["rm", "-f", str(self._pid_file)])


def _initdb_options() -> list[str]:
    return [
        f"--username={ROLE}",
        # No connection but by the access file of the home, even if started by hand.
        "--auth=reject",
        "--encoding=UTF8",
        # The same order of rows on every machine, whatever its locales.
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--locale=C",
        f"--lc-ctype={_character_type()}",
        "--text-search-config=simple",
        "--no-instructions",
    ]


def _character_type() -> str:
    """A locale that knows letters from punctuation beyond ASCII, which full text asks for."""
    before = locale.setlocale(locale.LC_CTYPE)
    try:
        for name in ("C.UTF-8", "en_US.UTF-8", "UTF-8"):
            try:
                locale.setlocale(locale.LC_CTYPE, name)
            except locale.Error:
                continue
            return name
    finally:
        locale.setlocale(locale.LC_CTYPE, before)
    return "C"
