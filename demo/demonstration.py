"""The demonstration: a filled marketplace, one firing of the four tiers through beat and worker,
what came of it, and then the site."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from celery import current_app
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.utils import timezone
from rich.console import Console

from demo.alone import Hold, alone
from demo.children import BEAT, WORKER, Children
from demo.errors import UnableToRunDemo
from demo.filling import Filled, fill
from demo.firing import firing
from demo.generator import Size
from demo.site import choose_port, show_doors, start_site, url_of
from demo.summary import as_json, show_summary, where_mails_are
from demo.tally import Tally
from demo.watching import wait_for
from notifications.limiter.server import server

REAL_SENDGRID = "api.sendgrid.com"
CONNECT_SECONDS = 5
PAUSE_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """What the command was asked for; no port means the first free one."""

    size: Size
    seed: int
    once: bool
    port: int | None
    logs: Path
    patience: float


def demonstrate(options: DemoOptions, out: Console, err: Console) -> None:
    """Run it: results to `out`, progress to `err`; ends after the table, or on Ctrl-C.

    Raises UnableToRunDemo with a text for people. Whatever was started is stopped at the end.
    """
    _check_that_it_is_harmless()
    _check_that_servers_answer()
    port = options.port if options.once else choose_port(options.port)
    with alone() as hold:
        _prepare(options, err)
        tell = partial(err.print, highlight=False)
        with Children(options.logs, _site_url(port), tell) as children:
            tally = _fire(options, children, err)
            _report(tally, out)
            if not options.once and port is not None:
                start_site(children, port)
                show_doors(url_of(port), out)
                _serve(children, hold)
            err.print("Stopping worker and beat", highlight=False)
    # When everything has stopped: it must be the last line, whatever happens.
    if options.once:
        out.file.write(f"{as_json(tally)}\n")


def _check_that_it_is_harmless() -> None:
    if settings.IS_PRODUCTION:
        raise UnableToRunDemo("The demonstration makes up people: it does not run in production.")
    if settings.EMAIL_PROVIDER == "sendgrid" and REAL_SENDGRID in settings.SENDGRID_API_HOST:
        raise UnableToRunDemo(
            "The people of the demonstration do not exist, and EMAIL_PROVIDER is sendgrid: "
            "a real provider would count hundreds of bounces. Use outbox or smtp."
        )


def _check_that_servers_answer() -> None:
    """Fail at once with what would otherwise come out of a worker's log after minutes."""
    connection.ensure_connection()
    server().ping()
    with current_app.connection_for_write(connect_timeout=CONNECT_SECONDS) as broker:
        broker.ensure_connection(max_retries=1, interval_start=0, timeout=CONNECT_SECONDS)


def _site_url(port: int | None) -> dict[str, str]:
    """Links in mails lead to this site, unless SITE_URL says where."""
    if port is None or "SITE_URL" in os.environ:
        return {}
    return {"SITE_URL": url_of(port)}


def _prepare(options: DemoOptions, err: Console) -> None:
    err.print("Preparing the database", highlight=False)
    call_command("migrate", interactive=False, verbosity=0)
    filled = fill(options.size, now=timezone.now(), seed=options.seed)
    err.print(_what_was_filled(filled), highlight=False)


def _what_was_filled(filled: Filled) -> str:
    if not filled.companies:
        return "The marketplace is filled already; nothing was added"
    return (
        f"Added {filled.companies} companies, {filled.people} people and {filled.agents} "
        "search agents"
    )


def _fire(options: DemoOptions, children: Children, err: Console) -> Tally:
    err.print("Starting worker and beat", highlight=False)
    worker = children.start("worker", WORKER)
    with firing(timezone.now()) as asked:
        children.start("beat", BEAT)
        return wait_for(asked, children, worker, err, options.patience)


def _report(tally: Tally, out: Console) -> None:
    show_summary(tally, out)
    out.print(where_mails_are(), highlight=False, soft_wrap=True)


def _serve(children: Children, hold: Hold) -> None:
    """Until Ctrl-C; UnableToRunDemo when one of the processes keeps ending by itself."""
    while True:
        children.revive()
        hold.keep()
        time.sleep(PAUSE_SECONDS)
