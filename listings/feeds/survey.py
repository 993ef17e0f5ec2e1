"""What only the whole file can tell: doubled ids, what is missing, the decimal sign.

A feed may be larger than memory, so of each row only a hash of its id and its line are kept.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise

from listings.feeds.header import Columns
from listings.feeds.prices import proven_decimal_sign
from listings.feeds.problems import UnableToReadCell
from listings.feeds.records import BrokenRecord, Record
from listings.feeds.rows import shape_error
from listings.feeds.texts import one_line


@dataclass(frozen=True, slots=True)
class Survey:
    """`superseded` maps the line of a row to that of the last row with the same id.

    `decimal_sign` is the one most prices prove, None at a tie. `hides_rows`: a broken row may
    have swallowed others, so that nobody knows which ids the file lacks.
    """

    row_count: int
    superseded: dict[int, int]
    decimal_sign: str | None
    hides_rows: bool
    _ids: array[int]

    def mentions(self, external_id: str) -> bool:
        """Whether any row has this id, however faulty the rest of it."""
        key = _key(external_id)
        place = bisect_left(self._ids, key)
        return place < len(self._ids) and self._ids[place] == key


def take_survey(records: Iterable[Record | BrokenRecord], columns: Columns) -> Survey:
    """Read all records once."""
    count, hides_rows = 0, False
    whole, ragged = _IdLog(), _IdLog()
    signs: Counter[str] = Counter()
    for record in records:
        count += 1
        if isinstance(record, BrokenRecord):
            hides_rows = True
            continue
        is_ragged = bool(shape_error(record, columns))
        hides_rows = hides_rows or (is_ragged and record.spans_lines)
        (ragged if is_ragged else whole).add(record, columns)
        if sign := proven_decimal_sign(_cell(record, columns, "price")):
            signs[sign] += 1
    every_id = array("Q", sorted(whole.keys + ragged.keys))
    return Survey(count, whole.superseded(), _majority(signs), hides_rows, every_id)


class _IdLog:
    """Ids as 64-bit hashes with the lines they stand on: 16 bytes a row."""

    def __init__(self) -> None:
        self.keys: array[int] = array("Q")
        self._lines: array[int] = array("Q")

    def add(self, record: Record, columns: Columns) -> None:
        """Remember the record's id, if it has one."""
        if external_id := _readable(_cell(record, columns, "external_id")):
            self.keys.append(_key(external_id))
            self._lines.append(record.line)

    def superseded(self) -> dict[int, int]:
        """Line of each row whose id comes again → line of the last row with it."""
        repeated = {first for first, second in pairwise(sorted(self.keys)) if first == second}
        lines: dict[int, list[int]] = {}
        for key, line in zip(self.keys, self._lines, strict=True):
            if key in repeated:
                lines.setdefault(key, []).append(line)
        return {line: group[-1] for group in lines.values() for line in group[:-1]}


def _cell(record: Record, columns: Columns, field: str) -> str:
    position = columns.positions.get(field)
    return record.cells[position] if position is not None and position < len(record.cells) else ""


def _readable(cell: str) -> str:
    try:
        return one_line(cell)
    except UnableToReadCell:
        return ""


def _key(external_id: str) -> int:
    return int.from_bytes(blake2b(external_id.encode(), digest_size=8).digest(), "big")


def _majority(signs: Counter[str]) -> str | None:
    return None if signs["."] == signs[","] else max(".,", key=signs.__getitem__)
