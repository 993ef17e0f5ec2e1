"""Moments as feeds write them: ISO 8601, or German with dots."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo

from listings.feeds.problems import UnableToReadCell, shown

_TIME = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
_OFFSET = r"(?P<offset>Z|[+-]\d{2}(?::?\d{2})?)"
_ISO = re.compile(
    rf"(?P<year>\d{{4}})-(?P<month>\d{{2}})-(?P<day>\d{{2}})(?:[T ]\s*{_TIME}\s*{_OFFSET}?)?",
    re.ASCII | re.IGNORECASE,
)
_DOTTED = re.compile(
    rf"(?P<day>\d{{1,2}})\.\s?(?P<month>\d{{1,2}})\.\s?(?P<year>\d{{4}})\.?"
    rf"(?:,?\s+(?:um\s+)?{_TIME}(?:\s*(?:Uhr|h))?)?",
    re.ASCII | re.IGNORECASE,
)
_SLASHED = re.compile(r"\d{1,2}/\d{1,2}/\d{2,4}.*", re.ASCII | re.DOTALL)
_SHORT_YEAR = re.compile(r"\d{1,2}\.\d{1,2}\.\d{2}\b.*", re.ASCII | re.DOTALL)
YEARS = range(1970, 2100)


def parse_moment(text: str, zone: tzinfo) -> datetime | None:
    """The moment in UTC; None for an empty cell.

    Without an offset the time is that of `zone`; without a time it is the day's beginning there.
    A time that a clock change skips is read as the moment the clocks jumped over it, one that
    occurs twice as the first. Raises UnableToReadCell for anything else.
    """
    if not text:
        return None
    match = _ISO.fullmatch(text) or _DOTTED.fullmatch(text)
    if match is None:
        raise UnableToReadCell(_why_unreadable(text))
    parts = match.groupdict()
    try:
        moment = datetime(
            int(parts["year"]),
            int(parts["month"]),
            int(parts["day"]),
            int(parts["hour"] or 0),
            int(parts["minute"] or 0),
            int(parts["second"] or 0),
            tzinfo=_offset(parts.get("offset")) or zone,
        )
    except ValueError as error:
        raise UnableToReadCell(f"{shown(text)} is no date: no such day or time exists") from error
    if moment.year not in YEARS:
        raise UnableToReadCell(f"{shown(text)}: the year {moment.year} cannot be meant")
    return moment.astimezone(UTC)


def _offset(text: str | None) -> tzinfo | None:
    """The fixed offset such as `Z`, `+01`, `+0100` or `+01:00`; ValueError beyond a day."""
    if not text:
        return None
    return datetime.strptime(text.upper() + ("00" if len(text) == 3 else ""), "%z").tzinfo


def _why_unreadable(text: str) -> str:
    if _SLASHED.fullmatch(text):
        return f"{shown(text)} may be day/month or month/day; write 2026-11-05 or 05.11.2026"
    if _SHORT_YEAR.fullmatch(text):
        return f"{shown(text)}: write the year with four digits"
    return f"{shown(text)} is no date; write 2026-11-05, 05.11.2026 or 2026-11-05T08:15:00+01:00"
