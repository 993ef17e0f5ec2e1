"""Telling an operator how an import goes: on the terminal, and as a CSV of all problems."""

from __future__ import annotations

import csv
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from listings.feeds.problems import Problem

SHOWN_AT_MOST = 200
ROWS_PER_STEP = 100
# What a spreadsheet takes for the beginning of a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


class FeedReport:
    """Shows problems as they are found, the first ones only, and the progress on a terminal.

    `console` is for people, `file` gets every problem as CSV. `shown` keeps what was shown, so
    that memory does not grow with the number of errors.
    """

    def __init__(self, console: Console, file: TextIO | None = None) -> None:
        self._console = console
        self._writer = csv.writer(file) if file else None
        self._told = 0
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("reading", total=None)
        self.shown: list[Problem] = []

    def __enter__(self) -> Self:
        if self._writer:
            self._writer.writerow(["line", "column", "kind", "message", "external id"])
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()
        if more := self._told - len(self.shown):
            self._say(f"… and {more:,} more; --errors FILE.csv writes them all.")

    def tell(self, problem: Problem) -> None:
        """Show the problem and write it down."""
        self._told += 1
        if len(self.shown) < SHOWN_AT_MOST:
            self.shown.append(problem)
            self._say(f"{'note: ' if problem.is_note else ''}{problem}")
        if self._writer:
            kind = "note" if problem.is_note else "error"
            cells = [problem.column, kind, problem.message, problem.external_id]
            self._writer.writerow([problem.line or "", *map(harmless, cells)])

    def progress(self, done: int, total: int | None) -> None:
        """Move the bar; without a total the file is still being surveyed."""
        if done % ROWS_PER_STEP == 0 or done == total:
            doing = "importing" if total else "reading"
            self._bar.update(self._task, completed=done, total=total, description=doing)

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


def harmless(cell: str) -> str:
    """The text so that no spreadsheet runs it as a formula."""
    return f"'{cell}" if cell.startswith(FORMULA_STARTS) else cell
