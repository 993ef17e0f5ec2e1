"""The local services by hand: `python -m config.local_services status|urls|stop|hold`."""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from pathlib import Path
from typing import NoReturn

from .errors import UnableToStartService
from .home import Home, folder_for, open_home
from .keeper import servers_of
from .locks import LockFile, is_locked
from .state import forget_state, is_requested, read_state, request
from .users import become_user

PATIENCE_SECONDS = 90.0
PAUSE_SECONDS = 0.05


def main(arguments: list[str]) -> int:
    """Run one command; 0 when done, 1 when refused, 3 when nothing runs (`status`, `urls`)."""
    options = _parser().parse_args(arguments)
    home = Home(folder_for(options.base_dir))
    if options.command == "hold":
        _hold(options.base_dir, options.program)
    if options.command == "stop":
        return _stop(home, force=options.force)
    return _show(home, with_passwords=options.command == "urls")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m config.local_services")
    checkout = Path(__file__).resolve().parents[2]
    parser.add_argument("--base-dir", type=Path, default=checkout, help="the checkout")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("status", help="what runs, and where")
    commands.add_parser("urls", help="the URLs, with their passwords")
    stop = commands.add_parser("stop", help="stop the services")
    stop.add_argument("--force", action="store_true", help="even while they are in use")
    hold = commands.add_parser("hold", help="keep running services up while PROGRAM runs")
    hold.add_argument("program", nargs=argparse.REMAINDER, metavar="PROGRAM")
    return parser


def _show(home: Home, *, with_passwords: bool) -> int:
    state = read_state(home)
    has_keeper = is_locked(home.keeper_lock)
    urls = {name: url for name, url in state.urls.items()
            if has_keeper or is_locked(home.server_lock(name))}  # fmt: skip
    if not urls:
        _say(f"The local services do not run. Their folder: {home.folder}")
        return 3
    for name, url in urls.items():
        _say(f"{name} {url if with_passwords else re.sub(':[^:@/]*@', ':…@', url)}")
    if not with_passwords:
        keeper = state.keeper if has_keeper else "gone; their next user brings it back"
        _say(f"keeper {keeper}, in use: {'yes' if is_locked(home.users_lock) else 'no'}")
        _say(f"folder {home.folder}")
    return 0


def _stop(home: Home, *, force: bool) -> int:
    if not home.folder.exists():
        return 0
    if is_locked(home.users_lock) and not force:
        return _refuse()
    with LockFile(home.keeper_lock) as lock:
        if lock.try_exclusive():
            for server in servers_of(home):  # perhaps left by a keeper that was killed
                server.stop()
            forget_state(home)  # else its users would take it for killed, and bring it back
            return 0
    request(home, "forced-stop" if force else "stop")
    return _wait_for_the_end(home)


def _wait_for_the_end(home: Home) -> int:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if not is_locked(home.keeper_lock):
            return 0
        if not (is_requested(home, "stop") or is_requested(home, "forced-stop")):
            # Either somebody came meanwhile, or the keeper, alone with the lock, is leaving.
            with LockFile(home.users_lock) as users:
                if users.try_shared() and is_locked(home.keeper_lock):
                    return _refuse()
        time.sleep(PAUSE_SECONDS)
    _say(f"The keeper does not end; see {home.keeper_log}.")
    return 1


def _refuse() -> int:
    _say("Others are using the local services. Stop those first, or use --force.")
    return 1


def _hold(base_dir: Path, program: list[str]) -> NoReturn:
    """Become `program`, which inherits the users' lock, as do its children."""
    if not program:
        sys.exit("Name the program to run.")
    lock = become_user(open_home(base_dir))
    os.set_inheritable(lock.fd, True)
    try:
        os.execvp(program[0], program)  # noqa: S606 - the very point of the command
    except OSError as error:
        sys.exit(f"Unable to run {program[0]}: {error.strerror}")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UnableToStartService as problem:
        sys.exit(str(problem))
