"""`manage.py prune`: remove old ended deliveries by hand, as the nightly task does."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from notifications.management.arguments import as_text
from notifications.models import DispatchLimits
from notifications.models.limits import BOUNDS
from notifications.pruning import Pruned, prune

WIDTH = 70


class Command(BaseCommand):
    help = "Remove deliveries that ended long ago. What agents have shown stays remembered."

    def add_arguments(self, parser: ArgumentParser) -> None:
        lowest, highest = BOUNDS["retention_days"]
        parser.add_argument(
            "--days",
            type=int,
            help=f"keep what ended in the last DAYS days ({lowest} to {highest}); "
            "the default is the limit that the admin sets",
        )
        parser.add_argument("--dry-run", action="store_true", help="count, but remove nothing")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        days = _days(options["days"])
        console = Console(stderr=True)
        with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
            task = bar.add_task("prune", total=None)
            pruned = prune(
                now=timezone.now(),
                days=days,
                dry_run=options["dry_run"],
                progress=lambda done, total: bar.update(task, completed=done, total=total),
            )
        if options["json"]:
            outcome = {**asdict(pruned), "days": days, "dry_run": options["dry_run"]}
            self.stdout.write(json.dumps(outcome))
            return
        self.stdout.write(_as_table(pruned, days, options["dry_run"]))


def _as_table(pruned: Pruned, days: int, dry_run: bool) -> str:
    verb = "would be removed" if dry_run else "removed"
    table = Table(title=f"{verb}: what ended more than {days} days ago", min_width=60)
    table.add_column("what")
    table.add_column("count", justify="right")
    table.add_row("deliveries", f"{pruned.deliveries:,}")
    table.add_row("events without a delivery", f"{pruned.events:,}")
    return as_text(table, width=WIDTH)


def _days(wanted: int | None) -> int:
    if wanted is None:
        return DispatchLimits.current().retention_days
    lowest, highest = BOUNDS["retention_days"]
    if not lowest <= wanted <= highest:
        raise CommandError(f"--days must be between {lowest} and {highest}.")
    return wanted
