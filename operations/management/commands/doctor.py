"""`manage.py doctor`: what is wrong with the servers and settings, and what to do about it."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone
from django.utils.translation import gettext as _
from rich.console import Console
from rich.table import Table
from rich.text import Text

from operations.checks import ALL_NAMES, NAMES, Check, run_checks


class Command(BaseCommand):
    help = (
        "Look at database, Redis, broker, workers, beat, providers and settings. "
        "Exit code 1 when something is wrong."
    )
    # What these would stop at is what this command is there to tell.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument(
            "--only",
            type=_names,
            default=NAMES,
            metavar="NAME[,NAME]",
            help=f"run only these checks, of {', '.join(ALL_NAMES)}; "
            "this_worker is for the health check of a worker's container",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        checks = run_checks(now=timezone.now(), only=options["only"])
        if options["json"]:
            self.stdout.write(json.dumps({"checks": [asdict(check) for check in checks]}))
        elif self.stdout.isatty():
            Console().print(_as_table(checks))
        else:
            self.stdout.write(_as_lines(checks))
        if not all(check.ok for check in checks):
            sys.exit(1)


def _names(text: str) -> tuple[str, ...]:
    names = tuple(filter(None, text.split(",")))
    if unknown := [name for name in names if name not in ALL_NAMES]:
        raise ArgumentTypeError(
            f"there is no check {', '.join(unknown)}; the checks are {', '.join(ALL_NAMES)}"
        )
    if not names:
        raise ArgumentTypeError(f"name one or more of {', '.join(ALL_NAMES)}")
    return names


def _as_table(checks: list[Check]) -> Table:
    table = Table(show_lines=not all(check.ok for check in checks), title=_title(checks))
    table.add_column("")
    table.add_column(_("check"), no_wrap=True)
    table.add_column(_("what was found, and what to do"))
    for check in checks:
        found = Text(check.message)
        if check.remedy:
            found.append(f"\n→ {check.remedy}", style="bold")
        mark = Text("✓", style="green") if check.ok else Text("✗", style="bold red")
        table.add_row(mark, Text(check.name), found)
    return table


def _as_lines(checks: list[Check]) -> str:
    """A line for each check, and one more where something is to be done."""
    width = max(len(check.name) for check in checks)
    lines = []
    for check in checks:
        lines.append(f"{'✓' if check.ok else '✗'} {check.name:<{width}}  {check.message}")
        if check.remedy:
            lines.append(f"  {'':<{width}}  → {check.remedy}")
    return "\n".join([*lines, _title(checks)])


def _title(checks: list[Check]) -> str:
    count = sum(not check.ok for check in checks)
    if not count:
        return _("All is well.")
    return _("%(count)d of %(all)d checks failed.") % {"count": count, "all": len(checks)}
