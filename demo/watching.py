"""Waiting for a firing to come to its end, in sight of whoever waits, and never for ever."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import InterfaceError, OperationalError, connection
from django.utils import timezone
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from demo.children import Child, Children
from demo.errors import UnableToRunDemo
from demo.firing import Firing
from demo.tally import Tally, TierTally, tally_of

PAUSE_SECONDS = 0.25
PATIENCE_SECONDS = 120.0


def wait_for(
    firing: Firing,
    children: Children,
    worker: Child,
    console: Console,
    patience: float = PATIENCE_SECONDS,
) -> Tally:
    """Wait until every tier is planned and every mail has ended; the final tally.

    Raises UnableToRunDemo when a process keeps ending, or nothing moves for `patience` seconds.
    """
    tally: Tally = {name: TierTally(due) for name, due in firing.people_due.items()}
    with _display(console, firing) as display:
        _wait_until(firing.at, children, console)
        last_progress, since = -1, time.monotonic()
        while True:
            children.revive()
            tally = _tally_now(firing) or tally
            display.show(tally)
            if all(tier.is_done for tier in tally.values()):
                return tally
            if (progress := _progress(tally)) > last_progress:
                last_progress, since = progress, time.monotonic()
            elif time.monotonic() - since > patience:
                raise UnableToRunDemo(_stuck(tally, patience, worker))
            time.sleep(PAUSE_SECONDS)


def _wait_until(moment: datetime, children: Children, console: Console) -> None:
    seconds = (moment - timezone.now()).total_seconds()
    if seconds > 0:
        console.print(
            f"The tiers have fired this minute already; beat fires them in {seconds:.0f} s."
        )
    while timezone.now() < moment:
        children.revive()
        time.sleep(PAUSE_SECONDS)


def _tally_now(firing: Firing) -> Tally | None:
    """None while the database is away: it may be started again."""
    try:
        return tally_of(firing)
    except (OperationalError, InterfaceError):
        connection.close()
        return None


def _progress(tally: Tally) -> int:
    """Grows with everything that comes to an end, and with nothing else."""
    return sum(
        tier.is_planned + tier.counters.due + tier.sent + tier.unsent for tier in tally.values()
    )


def _stuck(tally: Tally, patience: float, worker: Child) -> str:
    unplanned = [name for name, tier in tally.items() if not tier.is_planned]
    waiting = sum(tier.open for tier in tally.values())
    what = f"tiers not planned: {', '.join(unplanned) or 'none'}; mails not sent: {waiting}"
    return f"Nothing has moved for {patience:.0f} s ({what}).\n{worker.log_tail()}"


@contextmanager
def _display(console: Console, firing: Firing) -> Iterator[_Bars | _Lines]:
    """Bars on a terminal, plain lines elsewhere."""
    if not console.is_terminal:
        yield _Lines(console)
        return
    columns = (
        TextColumn("{task.description:<8}"),
        BarColumn(),
        TextColumn("{task.fields[state]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as progress:
        yield _Bars(progress, firing)


class _Bars:
    """A bar a tier: people planned and mails sent."""

    def __init__(self, progress: Progress, firing: Firing) -> None:
        self.progress = progress
        self.bars: dict[str, TaskID] = {
            name: progress.add_task(name, total=max(1, due), state="waiting for beat")
            for name, due in firing.people_due.items()
        }

    def show(self, tally: Tally) -> None:
        for name, tier in tally.items():
            mails, ended = sum(tier.mails.values()), tier.sent + tier.unsent
            self.progress.update(
                self.bars[name],
                total=max(1, tier.people_due + mails),
                completed=tier.people_due + mails if tier.is_done else tier.counters.due + ended,
                state=f"{tier.counters.due} of {tier.people_due} people planned, "
                f"{tier.sent} of {mails} mails sent",
            )


class _Lines:
    """A line for each step of a tier."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.said: set[str] = set()

    def show(self, tally: Tally) -> None:
        for name, tier in tally.items():
            if tier.is_planned:
                self._say_once(f"{name}: {_planned(tier)}", name)
            if tier.is_done and tier.mails:
                self._say_once(f"{name}: {tier.sent} mails sent", f"{name} sent")

    def _say_once(self, text: str, key: str) -> None:
        if key not in self.said:
            self.said.add(key)
            self.console.print(text, highlight=False)


def _planned(tier: TierTally) -> str:
    return f"{tier.counters.due} people planned, {tier.counters.digests} mails"
