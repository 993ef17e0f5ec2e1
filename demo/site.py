"""Serving the site of a demonstration on this machine alone."""

from __future__ import annotations

import socket
import time
import urllib.error
import urllib.request

from rich.console import Console

from demo.children import Children
from demo.errors import UnableToRunDemo
from demo.filling import ADMIN, ANNA, PASSWORD, knows_password

HOST = "127.0.0.1"
DEFAULT_PORT = 8000
PORTS_TO_TRY = 50
START_SECONDS = 60.0
PAUSE_SECONDS = 0.2


def choose_port(wanted: int | None) -> int:
    """The wanted port, or the first free one from the default on.

    Raises UnableToRunDemo when the wanted one is taken, or none is free.
    """
    if wanted is not None:
        if _is_free(wanted):
            return wanted
        raise UnableToRunDemo(f"Port {wanted} is taken. Choose another one with --port.")
    for port in range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TO_TRY):
        if _is_free(port):
            return port
    last = DEFAULT_PORT + PORTS_TO_TRY - 1
    raise UnableToRunDemo(f"No port from {DEFAULT_PORT} to {last} is free. Choose one with --port.")


def url_of(port: int) -> str:
    """The site's address."""
    return f"http://{HOST}:{port}"


def start_site(children: Children, port: int) -> None:
    """Start the web server and wait until it answers."""
    web = children.start(
        "web",
        ("-m", "gunicorn", "config.wsgi:application", "--bind", f"{HOST}:{port}",
         "--workers", "1", "--threads", "8", "--no-control-socket", "--access-logfile", "-",
         "--env", "DEBUG=false"),
    )  # fmt: skip
    deadline = time.monotonic() + START_SECONDS
    while not _answers(port):
        children.revive()
        if time.monotonic() > deadline:
            raise UnableToRunDemo(
                f"The site has not answered for {START_SECONDS:.0f} s.\n{web.log_tail()}"
            )
        time.sleep(PAUSE_SECONDS)


def show_doors(site_url: str, console: Console) -> None:
    """Print the pages to look at, and the log-ins."""
    console.print(f"\nThe site          {site_url}/")
    console.print(f"Every mail        {site_url}/outbox/")
    console.print(f"Search agents     {site_url}/agents/")
    console.print(f"Admin             {site_url}/admin/")
    for email, who in ((ANNA, "a person with five search agents"), (ADMIN, "an administrator")):
        password = PASSWORD if knows_password(email) else "(the one you gave it)"
        console.print(f"Log in as         {email}   {password}   {who}")
    console.print("\nWorker and beat are running. Ctrl-C stops everything.")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def _answers(port: int) -> bool:
    try:
        urllib.request.urlopen(f"{url_of(port)}/healthz", timeout=2).close()  # noqa: S310 - ours
    except urllib.error.HTTPError:
        return True  # it speaks; what it says is not for us to judge
    except OSError:
        return False
    return True
