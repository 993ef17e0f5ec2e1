"""Whom the servers run as: ourselves, or, since PostgreSQL refuses root, somebody harmless."""

from __future__ import annotations

import os
import pwd
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import UnableToStartService

UNPRIVILEGED = ("postgres", "_postgres", "nobody")
# Nothing of the caller's environment reaches the servers: PGDATA, PGPORT, LC_* and TZ
# would change what they do.
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}


@dataclass(frozen=True)
class Account:
    """The account that owns the servers' folder; `uid` None means the one we run as."""

    uid: int | None = None
    gid: int | None = None

    def popen_options(self) -> dict[str, Any]:
        """What `subprocess` needs to become this account, in a place that it may enter."""
        options: dict[str, Any] = {"cwd": "/", "env": ENVIRONMENT, "start_new_session": True}
        if self.uid is not None:
            options |= {"user": self.uid, "group": self.gid, "extra_groups": []}
        return options

    def run(self, command: Sequence[str], *, stdin: str = "", pass_fds: Sequence[int] = ()) -> str:
        """Run `command` to its end and give its output; UnableToStartService if it fails."""
        try:
            done = subprocess.run(  # noqa: S603 - commands of our own
                command,
                input=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                errors="replace",
                pass_fds=pass_fds,
                check=False,
                **self.popen_options(),
            )
        except OSError as error:
            raise UnableToStartService(f"{command[0]}: {error}") from error
        if done.returncode != 0:
            text = f"{command[0]} failed (exit code {done.returncode}):\n{done.stdout.strip()}"
            raise UnableToStartService(text)
        return done.stdout

    def can_run(self, command: Sequence[str]) -> bool:
        """Whether this account reaches and may run the program."""
        try:
            self.run(command)
        except UnableToStartService:
            return False
        return True


def account_for(folder: Path) -> Account:
    """The account that runs servers in `folder`: its present owner, or one chosen now."""
    if os.geteuid() != 0:
        return Account()
    if folder.exists() and (owner := folder.stat()).st_uid != 0:
        return Account(owner.st_uid, owner.st_gid)
    return _unprivileged()


def _unprivileged() -> Account:
    for name in UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid != 0:
            return Account(entry.pw_uid, entry.pw_gid)
    raise UnableToStartService(
        "PostgreSQL does not run as root, and none of the accounts "
        f"{', '.join(UNPRIVILEGED)} exists here. Run as an ordinary user, or set DATABASE_URL."
    )
