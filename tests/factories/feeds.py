"""Feeds made of text, read and imported, with what the operator is told."""

import io
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import import_module
from typing import Any
from zoneinfo import ZoneInfo

from django.apps import apps

from listings.feed_import import ImportOptions, ImportSummary, import_feed
from listings.feeds.feed import Feed, FeedOptions
from listings.feeds.problems import Problem
from listings.feeds.rows import FeedRow, RejectedRow
from listings.models import Company

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
HEADER = "id;title;industry;region;price;date;status\n"


def fill_taxonomies() -> None:
    """The industries, regions and rates of the migration, which a flushed database lacks."""
    import_module("listings.migrations.0002_taxonomy").fill(apps, None)


def opened(content: str | bytes, mapping: Mapping[str, str] | None = None, **options: Any) -> Feed:
    """The feed of this content."""
    raw = content.encode() if isinstance(content, str) else content
    return Feed(io.BytesIO(raw), FeedOptions(BERLIN, mapping or {}, **options))


def read(content: str | bytes, **options: Any) -> list[FeedRow | RejectedRow | Problem]:
    """All rows and notes."""
    feed = opened(content, **options)
    return list(feed.rows(feed.survey()))


def titles(content: str | bytes, **options: Any) -> list[str]:
    """The titles of the good rows."""
    return [row.title for row in read(content, **options) if isinstance(row, FeedRow)]


def told(content: str | bytes, **options: Any) -> list[str]:
    """Every problem as the operator reads it."""
    lines: list[str] = []
    for row in read(content, **options):
        if isinstance(row, RejectedRow):
            lines += map(str, row.problems)
        elif isinstance(row, Problem):
            lines.append(f"note: {row}")
    return lines


def imported(
    content: str | bytes, now: datetime = NOW, source: str = "agency", **options: Any
) -> tuple[ImportSummary, list[str]]:
    """Import the content at `now`: the summary and every problem as the operator reads it."""
    raw = content.encode() if isinstance(content, str) else content
    problems: list[Problem] = []
    summary = import_feed(
        io.BytesIO(raw),
        ImportOptions(source=source, reading=FeedOptions(BERLIN), **options),
        lambda: now,
        problems.append,
    )
    return summary, [str(problem) for problem in problems]


def counts(summary: ImportSummary) -> dict[str, int]:
    """The counters that are not zero."""
    names = ("rows", "created", "updated", "unchanged", "scheduled", "superseded", "withdrawn",
             "errors", "notes")  # fmt: skip
    return {name: getattr(summary, name) for name in names if getattr(summary, name)}


def company(external_id: str, source: str = "agency") -> Company:
    """The stored company of this id."""
    return Company.objects.get(source=source, external_id=external_id)
