"""`manage.py run_reports --frequency F`: fire a tier by hand, as the task does."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from agents.frequency import Frequency
from agents.planner_lock import UnableToPlan
from agents.runs import RunResult, run_reports
from notifications.management.arguments import as_text, moment


class Command(BaseCommand):
    help = "Plan the mails of one tier: everybody whose search agents are due gets one digest."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--frequency", required=True, choices=Frequency.values)
        parser.add_argument(
            "--at",
            type=moment,
            help="fire as of this time (ISO 8601; without an offset in the site's time zone); "
            "the same time again joins the same run",
        )
        parser.add_argument("--dry-run", action="store_true", help="count, but write nothing")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        console = Console(stderr=True)
        with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
            task = bar.add_task(options["frequency"], total=None)
            try:
                result = run_reports(
                    options["frequency"],
                    now=timezone.now(),
                    at=options["at"],
                    dry_run=options["dry_run"],
                    progress=lambda done, total: bar.update(task, completed=done, total=total),
                )
            except (UnableToPlan, ValueError) as error:
                raise CommandError(str(error)) from error
        self.stdout.write(_as_json(result) if options["json"] else _as_table(result))


def _as_json(result: RunResult) -> str:
    return json.dumps(
        {
            "run": result.run_id,
            "frequency": result.frequency,
            "occurrence": result.occurrence.isoformat(),
            **result.counters.as_dict(),
        }
    )


def _as_table(result: RunResult) -> str:
    """A table where people read it, plain lines elsewhere."""
    title = f"{result.frequency}, {timezone.localtime(result.occurrence):%Y-%m-%d %H:%M}"
    table = Table(title=title + ("" if result.run_id else " (dry run)"))
    table.add_column("what")
    table.add_column("count", justify="right")
    labels = {
        "due": "people due", "eligible": "of them eligible", "matched": "new hits",
        "duplicates": "duplicates removed", "digests": "mails planned",
        "reported": "companies in them", "waiting": "companies left for later mails",
        "deferred": "people deferred to the next firing",
    }  # fmt: skip
    for name, count in result.counters.as_dict().items():
        table.add_row(labels[name], f"{count:,}")
    return as_text(table, width=60)
