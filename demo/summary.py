"""What a firing did, as a table for people and as one line for programs."""

from __future__ import annotations

import json
from collections.abc import Callable

from django.conf import settings
from rich.console import Console
from rich.table import Table

from demo.tally import Tally, TierTally, totals

ROWS: tuple[tuple[str, Callable[[TierTally], int]], ...] = (
    ("people due", lambda tier: tier.counters.due),
    ("of them eligible", lambda tier: tier.counters.eligible),
    ("hits", lambda tier: tier.counters.matched),
    ("duplicates removed", lambda tier: tier.counters.duplicates),
    ("mails sent", lambda tier: tier.sent),
    ("companies in them", lambda tier: tier.listings_sent),
    ("companies left for later mails", lambda tier: tier.counters.waiting),
    ("people deferred to the next firing", lambda tier: tier.counters.deferred),
    ("mails not sent", lambda tier: tier.unsent),
)
ALWAYS_SHOWN = len(ROWS) - 1


def show_summary(tally: Tally, console: Console) -> None:
    """Print the table, one column a tier; what never happens has no row."""
    table = Table(title="One firing of the four tiers")
    table.add_column("")
    for name in (*tally, "all"):
        table.add_column(name, justify="right")
    for place, (label, count) in enumerate(ROWS):
        counts = [count(tier) for tier in tally.values()]
        if place < ALWAYS_SHOWN or any(counts):
            table.add_row(label, *(f"{number:,}" for number in (*counts, sum(counts))))
    console.print(table)


def as_json(tally: Tally) -> str:
    """The last line of `--once`."""
    return json.dumps(totals(tally))


def where_mails_are() -> str:
    """Where the mails of this configuration lie."""
    if settings.EMAIL_PROVIDER == "outbox":
        return f"The mails lie in {settings.OUTBOX_DIR}"
    if settings.EMAIL_PROVIDER == "smtp":
        return f"The mails went to the SMTP server {settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
    return f"The mails went to {settings.SENDGRID_API_HOST}"
