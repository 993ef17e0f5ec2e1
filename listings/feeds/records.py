"""CSV records with the physical line each one starts on, going on after broken ones."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from io import TextIOWrapper

from listings.feeds.problems import UnableToReadFeed

MAX_LINE = 1_000_000


@dataclass(frozen=True, slots=True)
class Record:
    """The cells of one row; `spans_lines` when a quoted cell holds a line break."""

    line: int
    cells: list[str]
    spans_lines: bool


@dataclass(frozen=True, slots=True)
class BrokenRecord:
    """A row that cannot be taken apart: its quotes do not fit, or it is far too long."""

    line: int
    message: str


class LineTooLong(UnableToReadFeed):
    """A line that no feed has; it costs its own row, unless nothing can be read without it."""


class PhysicalLines:
    """The lines of a file as an editor counts them; the last ones can be given back.

    A context manager: leaving it lets go of the file beneath the stream without closing it.
    """

    def __init__(self, stream: TextIOWrapper) -> None:
        self._stream = stream
        self._given_back: deque[str] = deque()
        self._taken: list[str] = []
        self.number = 0

    def __enter__(self) -> PhysicalLines:
        return self

    def __exit__(self, *_error: object) -> None:
        self._stream.detach()

    def __iter__(self) -> PhysicalLines:
        return self

    def __next__(self) -> str:
        line = self._given_back.popleft() if self._given_back else self._read()
        if not line:
            raise StopIteration
        self._taken.append(line)
        self.number += 1
        if len(line) > MAX_LINE:
            raise LineTooLong(
                f"Line {self.number} is longer than {MAX_LINE:,} characters: this is no CSV."
            )
        return line

    def skip_blank(self) -> str:
        """Pass over blank lines and look at the next one without taking it; empty at the end."""
        for line in self:
            if line.strip(" \t\r\n\ufeff"):
                self._given_back.appendleft(line)
                self.number -= 1
                return line
        return ""

    def begin_record(self) -> None:
        """Forget the lines of the record before: they cannot be given back any more."""
        self._taken.clear()

    def give_back_all_but_first(self) -> None:
        """Rewind to the line after the one the current record began on."""
        behind = self._taken[1:]
        self._given_back.extendleft(reversed(behind))
        self.number -= len(behind)
        del self._taken[1:]

    def _read(self) -> str:
        """The next line, or of one that is too long the beginning; empty at the end."""
        line = part = self._read_part()
        while len(part) > MAX_LINE and part[-1] not in "\r\n":
            part = self._read_part()
        if len(part) > MAX_LINE and part[-1] == "\r":
            # The limit may have cut a line's end in two.
            following = self._read()
            if following != "\n":
                self._given_back.append(following)
        return line

    def _read_part(self) -> str:
        try:
            return self._stream.readline(MAX_LINE + 1)
        except UnicodeError as error:
            raise UnableToReadFeed(
                f"Line {self.number + 1} or one soon after it cannot be decoded ({error}). "
                "Name the file's encoding with --encoding."
            ) from error


def read_records(lines: PhysicalLines, delimiter: str) -> Iterator[Record | BrokenRecord]:
    """Every record that is not blank, in the order of the file.

    After a broken record reading goes on with the line after its first one: a quote that is
    never closed costs its own row, not the rest of the file.
    """
    while True:
        lines.begin_record()
        first = lines.number + 1
        try:
            cells = next(csv.reader(lines, delimiter=delimiter, strict=True))
        except StopIteration:
            return
        except (csv.Error, LineTooLong) as error:
            lines.give_back_all_but_first()
            yield BrokenRecord(first, _explained(error))
            continue
        if any(cell.strip() for cell in cells):
            yield Record(first, cells, spans_lines=lines.number > first)


def _explained(error: csv.Error | LineTooLong) -> str:
    """What the parser found, in words about the file."""
    if isinstance(error, LineTooLong):
        return f"a line of this row has more than {MAX_LINE:,} characters (a quote not closed?)"
    text = str(error)
    if "unexpected end" in text:
        return "a quote is opened in this row and never closed"
    if "field limit" in text:
        return f"a cell has more than {csv.field_size_limit():,} characters (a quote not closed?)"
    if "expected after" in text:
        return "a closing quote is followed by text; a quote within quotes is written twice"
    return text
