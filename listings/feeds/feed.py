"""A whole feed: opened, surveyed, read row by row."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import BinaryIO

from listings.feeds import encoding as encodings
from listings.feeds import header
from listings.feeds.problems import Problem, UnableToReadFeed, shown
from listings.feeds.records import BrokenRecord, PhysicalLines, Record, read_records
from listings.feeds.rows import FeedRow, RejectedRow, RowReader
from listings.feeds.survey import Survey, take_survey

Progress = Callable[[int, int | None], None]


@dataclass(frozen=True, slots=True)
class FeedOptions:
    """How to read a feed: the zone of times without an offset, and what overrides detection.

    `mapping` is column title → field; `encoding` and `delimiter` empty: detect.
    """

    zone: tzinfo
    mapping: Mapping[str, str] = field(default_factory=dict)
    encoding: str = ""
    delimiter: str = ""


class Feed:
    """A feed whose header has been understood.

    The file must be seekable and stays open while the feed is read; it is read twice, first by
    `survey`, then by `rows`, and never held in memory. Raises UnableToReadFeed at once when
    nothing of it can be used.
    """

    def __init__(self, file: BinaryIO, options: FeedOptions) -> None:
        self._file = file
        self._zone = options.zone
        detected = encodings.detect_encoding(file)
        self.encoding = (
            encodings.require_text_encoding(options.encoding) if options.encoding else detected
        )
        self.delimiter = self._find_delimiter(options)
        self._header_cells = self._read_header()
        self.columns = header.read_columns(self._header_cells, options.mapping)

    def survey(self, progress: Progress | None = None) -> Survey:
        """Read the file once for what only the whole of it tells; `progress(rows, None)`.

        Raises UnableToReadFeed when there is no row at all.
        """
        survey = take_survey(_counted(self._records(), progress), self.columns)
        if not survey.row_count:
            raise UnableToReadFeed("The feed has a header, but no rows.")
        return survey

    def rows(self, survey: Survey) -> Iterator[FeedRow | RejectedRow | Problem]:
        """Every row in order, good or rejected; a Problem is a note on a superseded row."""
        reader = RowReader(self.columns, self._zone, survey.decimal_sign)
        for record in self._records():
            if isinstance(record, BrokenRecord):
                problem = Problem(record.line, "", record.message)
                yield RejectedRow(record.line, (problem,))
            elif record.line in survey.superseded:
                yield self._superseded(record, survey.superseded[record.line])
            else:
                yield reader.read(record)

    def notes(self) -> list[Problem]:
        """What an operator should know about the columns."""
        if not self.columns.ignored:
            return []
        names = ", ".join(map(shown, self.columns.ignored))
        return [Problem(0, "", f"nothing is known of these columns, ignored: {names}",
                        is_note=True)]  # fmt: skip

    def _superseded(self, record: Record, last_line: int) -> Problem:
        place = self.columns.positions["external_id"]
        external_id = record.cells[place].strip()
        message = f"{shown(external_id)} comes again in line {last_line}; the last row counts"
        return Problem(record.line, self.columns.titles[place], message, external_id, is_note=True)

    def _find_delimiter(self, options: FeedOptions) -> str:
        if options.delimiter:
            return header.require_delimiter(options.delimiter)
        with self._open_lines() as lines:
            first = lines.skip_blank()
            if hint := header.excel_delimiter_hint(first):
                return hint
            return header.detect_delimiter(first, options.mapping)

    def _read_header(self) -> list[str]:
        with self._open_lines() as lines:
            _skip_excel_hint(lines)
            first = next(read_records(lines, self.delimiter), None)
        if first is None:
            raise UnableToReadFeed("The file is blank.")
        if isinstance(first, BrokenRecord):
            raise UnableToReadFeed(f"The header in line {first.line} is broken: {first.message}.")
        return first.cells

    def _records(self) -> Iterator[Record | BrokenRecord]:
        """All records after the header, from the beginning of the file."""
        with self._open_lines() as lines:
            _skip_excel_hint(lines)
            records = read_records(lines, self.delimiter)
            next(records, None)
            yield from records

    def _open_lines(self) -> PhysicalLines:
        self._file.seek(0, os.SEEK_SET)
        policy = encodings.undecodable_policy(self.encoding)
        return PhysicalLines(io.TextIOWrapper(self._file, self.encoding, errors=policy, newline=""))


def _skip_excel_hint(lines: PhysicalLines) -> None:
    if header.excel_delimiter_hint(lines.skip_blank()):
        next(lines)


def _counted(
    records: Iterator[Record | BrokenRecord], progress: Progress | None
) -> Iterator[Record | BrokenRecord]:
    for count, record in enumerate(records, start=1):
        if progress:
            progress(count, None)
        yield record
