"""Import a feed of companies for sale. See docs/feeds.md."""

from __future__ import annotations

import dataclasses
import json
from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, OutputWrapper
from django.utils import timezone
from rich.console import Console
from rich.table import Table

from listings.feed_import import ImportOptions, ImportSummary, import_feed
from listings.feed_report import FeedReport
from listings.feeds.feed import FeedOptions
from listings.feeds.problems import UnableToReadFeed
from marketplace.models import User

UNREADABLE = 2
WITH_ERRORS = 1


class Command(BaseCommand):
    help = (
        "Import companies from a CSV feed: all good rows go in, the others are reported by line. "
        "Exit code 0: all rows good; 1: some had errors, or --withdraw-missing was refused; "
        "2: nothing could be read."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("feed", type=Path, metavar="FEED.csv")
        parser.add_argument(
            "--source", default="feed",
            help="the feed's name; an external id is unique within it (default: %(default)s)",
        )  # fmt: skip
        parser.add_argument("--seller", metavar="EMAIL", help="the person all companies belong to")
        parser.add_argument(
            "--map", action="append", default=[], metavar="COLUMN=FIELD",
            help="say what a column holds, by its title; may be repeated",
        )  # fmt: skip
        parser.add_argument("--time-zone", default=settings.TIME_ZONE, help="of times without one")
        parser.add_argument("--encoding", default="", help="instead of detecting it")
        parser.add_argument("--delimiter", default="", help="one character, or tab")
        parser.add_argument("--dry-run", action="store_true", help="change nothing, only report")
        parser.add_argument(
            "--withdraw-missing", action="store_true",
            help="withdraw the source's companies that this feed no longer lists",
        )  # fmt: skip
        parser.add_argument(
            "--force", action="store_true", help="withdraw even when it looks like a mistake"
        )
        parser.add_argument("--errors", type=Path, metavar="FILE.csv", help="write all problems")
        parser.add_argument("--json", action="store_true", help="print the summary as JSON")

    def handle(self, *_args: Any, **given: Any) -> None:
        options = _options(given)
        with ExitStack() as stack:
            file = stack.enter_context(_opened(given["feed"]))
            sink = _sink(given["errors"], given["feed"])
            console = _console(self.stderr)
            report = stack.enter_context(FeedReport(console, sink and stack.enter_context(sink)))
            try:
                summary = import_feed(file, options, timezone.now, report.tell, report.progress)
            except UnableToReadFeed as error:
                raise CommandError(f"{given['feed']}: {error}", returncode=UNREADABLE) from error
        self._print(summary, options, report, as_json=given["json"])
        if not summary.is_complete:
            raise CommandError(_shortcomings(summary), returncode=WITH_ERRORS)

    def _print(
        self, summary: ImportSummary, options: ImportOptions, report: FeedReport, as_json: bool
    ) -> None:
        if as_json:
            said = {"source": options.source, "dry_run": options.dry_run}
            problems = [dataclasses.asdict(problem) for problem in report.shown]
            said |= {**dataclasses.asdict(summary), "problems": problems}
            self.stdout.write(json.dumps(said, ensure_ascii=False))
            return
        title = f"{options.source}: dry run, nothing was changed" if options.dry_run else (
            f"{options.source}: imported"
        )  # fmt: skip
        _console(self.stdout).print(_table(summary, title))


def _console(wrapper: OutputWrapper) -> Console:
    """A console on the stream beneath Django's wrapper, which would end each write with a line."""
    return Console(file=cast("IO[str]", wrapper._out))


def _options(given: dict[str, Any]) -> ImportOptions:
    source = given["source"].strip()
    if not 1 <= len(source) <= 50:
        raise CommandError("--source must have 1 to 50 characters.", returncode=UNREADABLE)
    return ImportOptions(
        source=source,
        seller_id=_seller_id(given["seller"]),
        dry_run=given["dry_run"],
        withdraw_missing=given["withdraw_missing"],
        force=given["force"],
        reading=FeedOptions(
            zone=_zone(given["time_zone"]),
            mapping=dict(map(_mapping, given["map"])),
            encoding=given["encoding"],
            delimiter=given["delimiter"],
        ),
    )


def _mapping(text: str) -> tuple[str, str]:
    title, sign, field = text.rpartition("=")
    if not sign or not title.strip():
        raise CommandError(f"--map {text}: write COLUMN=FIELD.", returncode=UNREADABLE)
    return title.strip(), field.strip()


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise CommandError(f"There is no time zone {name}.", returncode=UNREADABLE) from error


def _seller_id(email: str | None) -> int | None:
    if email is None:
        return None
    seller = User.objects.filter(email__iexact=email.strip()).first()
    if seller is None:
        raise CommandError(f"Nobody has the address {email}.", returncode=UNREADABLE)
    return seller.pk


def _opened(path: Path) -> BinaryIO:
    try:
        file = path.open("rb")
        file.seek(0)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}.", returncode=UNREADABLE) from error
    return file


def _sink(path: Path | None, feed: Path) -> TextIO | None:
    """The file for all problems, with a byte order mark, by which spreadsheets know UTF-8."""
    if path is None:
        return None
    try:
        if path.exists() and path.samefile(feed):
            raise CommandError("--errors names the feed itself.", returncode=UNREADABLE)
        return path.open("w", encoding="utf-8-sig", errors="backslashreplace", newline="")
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}.", returncode=UNREADABLE) from error


def _table(summary: ImportSummary, title: str) -> Table:
    table = Table("rows", "", title=title, show_header=False)
    labels = {"superseded": "superseded (id comes again)", "scheduled": "of these scheduled"}
    for field in ("rows", "created", "updated", "unchanged", "scheduled", "superseded",
                  "withdrawn", "errors", "notes"):  # fmt: skip
        table.add_row(labels.get(field, field), f"{getattr(summary, field):,}")
    return table


def _shortcomings(summary: ImportSummary) -> str:
    told = []
    if summary.errors:
        told.append(f"{summary.errors:,} of {summary.rows:,} rows have errors and stayed out.")
    if summary.withdrawal_refused:
        told.append(summary.withdrawal_refused)
    return " ".join(told)
