"""What commands of this app share: arguments that are checked, who runs them, tables as text."""

from __future__ import annotations

import getpass
from argparse import ArgumentTypeError
from datetime import datetime

from django.utils import timezone
from django.utils.dateparse import parse_datetime
from rich.console import Console
from rich.table import Table

LARGEST_ID = 2**63 - 1


def moment(text: str) -> datetime:
    """A time in ISO 8601; without an offset in the site's time zone."""
    try:
        at = parse_datetime(text)
    except ValueError:
        at = None
    if at is None:
        raise ArgumentTypeError(f"{text!r} is no time such as 2026-11-29T07:00")
    return timezone.make_aware(at) if timezone.is_naive(at) else at


def row_id(text: str) -> int:
    """The id of a row: a whole number that the database can hold."""
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:20]) <= LARGEST_ID):
        raise ArgumentTypeError(f"{text!r} is no id")
    return int(text)


def operator_of(command: str) -> str:
    """Who runs the command, for logs: `requeue (ana)`; a container may know no name."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = "?"
    return f"{command} ({name})"


def as_text(*tables: Table, width: int) -> str:
    """The tables as plain text, so that they read the same in a terminal, a file and a test."""
    console = Console(width=width)
    with console.capture() as capture:
        for table in tables:
            console.print(table)
    return capture.get().rstrip()
