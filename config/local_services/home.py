"""The folder of the local services: where it is, what lies in it, and who may enter."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from .account import Account, account_for
from .errors import UnableToStartService

SERVICES = ("postgres", "valkey")
# Survives a reboot; anybody may write there, so open_home checks whose folder it finds.
ROOTS_PLACE = Path("/var/tmp")  # noqa: S108


@dataclass(frozen=True)
class Home:
    """The paths in one folder of local services.

    The folder is ours; only `servers` in it belongs to the account that the servers run
    as. Run as root, nothing is ever written to `servers` but by that account.
    """

    folder: Path

    @property
    def servers(self) -> Path:
        return self.folder / "servers"

    @property
    def users_lock(self) -> Path:
        """Shared by every process that uses the services, for its whole life."""
        return self.folder / "users.lock"

    @property
    def keeper_lock(self) -> Path:
        """Held by the one keeper for its whole life."""
        return self.folder / "keeper.lock"

    @property
    def keeper_log(self) -> Path:
        return self.folder / "keeper.log"

    def server_lock(self, service: str) -> Path:
        """Held by every process of that server: free means that none is left."""
        return self.folder / f"{service}.lock"

    def log(self, service: str) -> Path:
        return self.folder / f"{service}.log"

    def secret(self, service: str) -> Path:
        return self.folder / f"{service}.secret"

    def account(self) -> Account:
        return account_for(self.servers)

    def make_servers_folder(self) -> Account:
        """Make the servers' folder, owned by the account that is given back."""
        account = self.account()
        self.servers.mkdir(mode=0o700, exist_ok=True)
        if account.uid is not None and account.gid is not None:
            os.chown(self.servers, account.uid, account.gid)
        return account


def folder_for(base_dir: Path) -> Path:
    """Where the services of the checkout `base_dir` live for whoever we are.

    Root gets a folder outside of the checkout: the account that the servers run as may
    not pass through folders such as /root, and their permissions are not ours to change.
    """
    if os.geteuid() != 0:
        return base_dir / ".local" / "services"
    digest = hashlib.sha256(os.fsencode(base_dir.resolve())).hexdigest()[:12]
    return ROOTS_PLACE / f"marktlotse-{digest}-0"


def open_home(base_dir: Path) -> Home:
    """The services' home for `base_dir`, made if need be and closed to everybody else."""
    folder = folder_for(base_dir)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        _check_that_it_is_ours(folder)
    except OSError as error:
        raise UnableToStartService(f"Cannot use {folder}: {error}") from error
    return Home(folder)


def _check_that_it_is_ours(folder: Path) -> None:
    # In /var/tmp anybody could have made a folder, or a link, of that name before us.
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise UnableToStartService(
            f"{folder} belongs to another account. Run as that account, remove the folder "
            "(its data is lost), or set DATABASE_URL and REDIS_URL."
        )
    # The unprivileged account passes through, but sees no names.
    wanted = 0o711 if os.geteuid() == 0 else 0o700
    if stat.S_IMODE(found.st_mode) != wanted:
        folder.chmod(wanted)
