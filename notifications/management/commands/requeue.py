"""`manage.py requeue`: send dead letters again, by hand or from a script."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections import Counter
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import QuerySet
from django.utils import timezone
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from notifications.dead_letter_batches import act_in_batches
from notifications.dead_letters import Handled, requeue
from notifications.management.arguments import as_text, moment, operator_of, row_id
from notifications.models import DeadLetter, Reason, State

WIDTH = 100
MOST_REFUSED = 50
SELECTING = ("id", "provider", "reason", "since")


class Command(BaseCommand):
    help = "Send dead letters again, with all their attempts. Barred addresses are refused."

    def add_arguments(self, parser: ArgumentParser) -> None:
        which = parser.add_argument_group("which dead letters (all conditions must hold)")
        which.add_argument("--id", type=row_id, nargs="+", help="these deliveries")
        which.add_argument("--provider", help="those the provider refused")
        which.add_argument("--reason", choices=Reason.values, metavar="REASON", help=_reasons())
        which.add_argument("--since", type=moment, help="those that failed at or after this time")
        which.add_argument("--all", action="store_true", help="every dead letter")
        parser.add_argument("--note", default="", help="why; it is kept with each delivery")
        parser.add_argument("--dry-run", action="store_true", help="tell, but change nothing")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        note = _checked_note(options)
        letters = _chosen(options)
        ids = _ids(letters, options["id"])
        act = partial(requeue, operator=operator_of("requeue"), note=note, now=timezone.now())
        console = Console(stderr=True)
        with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
            task = bar.add_task("requeue", total=len(ids))
            handled = act_in_batches(
                ids,
                letters,
                act,
                dry_run=options["dry_run"],
                progress=lambda done, total: bar.update(task, completed=done, total=total),
            )
        show = _as_json if options["json"] else _as_tables
        self.stdout.write(show(handled, options["dry_run"]))


def _reasons() -> str:
    return "those that failed for this reason: " + ", ".join(Reason.values)


def _checked_note(options: dict[str, Any]) -> str:
    note: str = options["note"].strip()
    if "\0" in note:
        raise CommandError("--note must not hold null characters.")
    if not note and not options["dry_run"]:
        raise CommandError("Say why with --note; it is kept with each delivery.")
    return note


def _chosen(options: dict[str, Any]) -> QuerySet[DeadLetter]:
    """The dead letters that the arguments mean."""
    has_condition = any(options[name] is not None for name in SELECTING)
    if has_condition == options["all"]:
        raise CommandError("Name dead letters by --id, --provider, --reason or --since, or --all.")
    letters = DeadLetter.objects.filter(state=State.DEAD)
    if options["provider"] is not None:
        letters = letters.filter(provider=options["provider"])
    if options["reason"] is not None:
        letters = letters.filter(reason=options["reason"])
    if options["since"] is not None:
        letters = letters.filter(finished_at__gte=options["since"])
    return letters


def _ids(letters: QuerySet[DeadLetter], named: list[int] | None) -> list[int]:
    """Those that were named, so that each that does not fit is refused by its id; or all that fit.

    They are read once: what dies while this runs is for the next time.
    """
    if named is not None:
        return sorted(set(named))
    return list(letters.order_by("pk").values_list("pk", flat=True))


def _as_json(handled: Handled, dry_run: bool) -> str:
    refused = [{"id": pk, "why": why} for pk, why in sorted(handled.refused.items())]
    return json.dumps({"dry_run": dry_run, "done": handled.done, "refused": refused})


def _as_tables(handled: Handled, dry_run: bool) -> str:
    """What came of it, and of each refused one why."""
    summary = Table(title="dead letters" + (" (dry run)" if dry_run else ""))
    summary.add_column("what")
    summary.add_column("count", justify="right")
    summary.add_row("would be sent again" if dry_run else "sent again", f"{len(handled.done):,}")
    for why, count in Counter(handled.refused.values()).most_common():
        summary.add_row(f"refused: {escape(why)}", f"{count:,}")
    if not handled.refused:
        return as_text(summary, width=WIDTH)
    rows = Table(title=_refused_title(len(handled.refused)), min_width=60)
    rows.add_column("delivery", justify="right")
    rows.add_column("refused because")
    for pk, why in sorted(handled.refused.items())[:MOST_REFUSED]:
        rows.add_row(str(pk), escape(why))
    return as_text(summary, rows, width=WIDTH)


def _refused_title(count: int) -> str:
    shown = f"; the first {MOST_REFUSED}, --json names all" if count > MOST_REFUSED else ""
    return f"{count:,} refused{shown}"
