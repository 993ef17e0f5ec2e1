"""What keeper and users tell each other through files: state, requests, ports, secrets."""

from __future__ import annotations

import json
import os
import secrets
import socket
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .home import SERVICES, Home

# Below the range from which systems take ports for outgoing connections, so that nobody
# gets a server's port by chance while the server restarts.
PORTS = range(20000, 32000)


@dataclass
class State:
    """What the keeper says of itself: `urls` of services that are ready, `errors` of others."""

    keeper: int = 0
    urls: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)


def write_privately(path: Path, text: str, mode: int = 0o600) -> None:
    """Replace `path` as a whole: readers see the old text or the new, never a part."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode)
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        os.fchmod(fd, mode)
        file.write(text)
    draft.replace(path)


def read_state(home: Home) -> State:
    """The keeper's last word; an empty state when there is none."""
    try:
        return State(**json.loads(_state_path(home).read_text("utf-8")))
    except (FileNotFoundError, ValueError, TypeError):
        return State()


def write_state(home: Home, state: State) -> None:
    write_privately(_state_path(home), json.dumps(asdict(state)))


def forget_state(home: Home) -> None:
    _state_path(home).unlink(missing_ok=True)


def _state_path(home: Home) -> Path:
    return home.folder / "state.json"


def request(home: Home, service: str) -> None:
    """Ask the keeper for a service, a "stop" or a "forced-stop"; it stands until answered."""
    _request_path(home, service).touch(mode=0o600)


def is_requested(home: Home, service: str) -> bool:
    return _request_path(home, service).exists()


def settle_request(home: Home, service: str) -> None:
    _request_path(home, service).unlink(missing_ok=True)


def forget_requests(home: Home) -> None:
    for service in (*SERVICES, "stop", "forced-stop"):
        settle_request(home, service)


def _request_path(home: Home, service: str) -> Path:
    return home.folder / f"{service}.wanted"


def read_secret(home: Home, service: str) -> str | None:
    """The password of a service, once it has one."""
    try:
        return home.secret(service).read_text("utf-8").strip() or None
    except FileNotFoundError:
        return None


def new_secret() -> str:
    """A random password of 192 bits, safe in URLs, SQL literals and configuration files."""
    return secrets.token_urlsafe(24)


def recorded_port(home: Home, service: str) -> int | None:
    """The port that the service last ran on, or was last meant to."""
    try:
        port = json.loads(_ports_path(home).read_text("utf-8"))[service]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
    return port if isinstance(port, int) else None


def choose_port(home: Home, service: str) -> int:
    """A free port, the last one if it can be had: users of a crashed server find it again."""
    port = recorded_port(home, service)
    while port is None or not is_free(port):
        port = secrets.choice(PORTS)
    ports = {name: recorded_port(home, name) for name in SERVICES} | {service: port}
    write_privately(_ports_path(home), json.dumps(ports))
    return port


def is_free(port: int) -> bool:
    """Whether a server could listen on that port of the loopback interface now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _ports_path(home: Home) -> Path:
    return home.folder / "ports.json"
