"""Barring addresses from mail, many at a time; barring one that is barred changes nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.models.functions import Lower

from marketplace.bulk import array_literal
from notifications.erased_addresses import erased_among
from notifications.models import SpamReport, Suppression

Cause = Suppression.Cause
# The stronger cause stays: an address that bounced gets not even a password reset.
STRENGTH: Mapping[str, int] = {
    Cause.UNSUBSCRIBE: 1,
    Cause.MANUAL: 2,
    Cause.COMPLAINT: 3,
    Cause.BOUNCE: 4,
}
LONGEST_ADDRESS = 254

SUPPRESS_SQL = """
INSERT INTO notifications_suppression AS barred (email, cause, note, created_at)
SELECT * FROM unnest(%s::text[], %s::text[], %s::text[], %s::timestamptz[])
ON CONFLICT (lower(email)) DO UPDATE
SET cause = excluded.cause,
    note = left(concat_ws('; ', nullif(barred.note, ''), nullif(excluded.note, '')), 200)
WHERE array_position(%s::text[], barred.cause::text)
    < array_position(%s::text[], excluded.cause::text)
"""
REPORT_SQL = """
INSERT INTO notifications_spamreport (email, source, reported_at)
SELECT row.email, %s, row.reported_at
FROM unnest(%s::text[], %s::timestamptz[]) AS row(email, reported_at)
WHERE NOT EXISTS (
    SELECT FROM notifications_spamreport AS known WHERE lower(known.email) = lower(row.email)
)
"""


@dataclass(frozen=True, slots=True)
class Bar:
    """An address that shall get no more mail, why, and since when."""

    address: str
    cause: Suppression.Cause
    since: datetime
    note: str = ""


def suppress(bars: Collection[Bar], *, source: str) -> None:
    """Bar the addresses; complaints become spam reports of `source` too. At most two statements.

    What cannot be an address is left out.
    """
    strongest = _strongest(bars)
    if not strongest:
        return
    by_strength = sorted(STRENGTH, key=STRENGTH.__getitem__)
    columns = [
        array_literal("text", [bar.address for bar in strongest]),
        array_literal("text", [bar.cause.value for bar in strongest]),
        array_literal("text", [bar.note[:200] for bar in strongest]),
        array_literal("timestamptz", [bar.since for bar in strongest]),
    ]
    with connection.cursor() as cursor:
        cursor.execute(SUPPRESS_SQL, [*columns, by_strength, by_strength])
    _report([bar for bar in bars if bar.cause == Cause.COMPLAINT], source)


def _report(complaints: Collection[Bar], source: str) -> None:
    unique = _strongest(complaints)
    if not unique:
        return
    columns = [
        array_literal("text", [bar.address for bar in unique]),
        array_literal("timestamptz", [bar.since for bar in unique]),
    ]
    with connection.cursor() as cursor:
        cursor.execute(REPORT_SQL, [source, *columns])


def _strongest(bars: Collection[Bar]) -> list[Bar]:
    """One bar an address, in the order of addresses: two reports at once wait, never deadlock."""
    chosen: dict[str, Bar] = {}
    for bar in bars:
        key = bar.address.lower()
        if "@" not in key or len(key) > LONGEST_ADDRESS:
            continue
        known = chosen.get(key)
        if known is None or STRENGTH[bar.cause] > STRENGTH[known.cause]:
            chosen[key] = bar
    return [chosen[key] for key in sorted(chosen)]


def barred_among(addresses: Collection[str]) -> set[str]:
    """Of these addresses, in lower case, those that are suppressed or reported as spam."""
    wanted = {address.lower() for address in addresses}
    found: set[str] = set()
    for model in (Suppression, SpamReport):
        rows = model._default_manager.annotate(address=Lower("email"))
        found.update(rows.filter(address__in=wanted).values_list("address", flat=True))
        found |= erased_among(model._default_manager.all(), wanted)
    return found
