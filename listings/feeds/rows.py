"""One row of a feed, checked cell by cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, tzinfo
from decimal import Decimal
from typing import TypeVar

from listings.feeds.header import Columns
from listings.feeds.lookup import find_industry, find_region
from listings.feeds.moments import parse_moment
from listings.feeds.prices import CURRENCIES, parse_price, require_currency
from listings.feeds.problems import Problem, UnableToReadCell
from listings.feeds.records import Record
from listings.feeds.statuses import parse_status
from listings.feeds.texts import block, one_line

LENGTHS = {"external_id": 100, "title": 200, "description": 20_000}
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class FeedRow:
    """A good row. `industry` and `region` are codes; `published_at` is UTC, None when not said;
    `price` is above zero with two decimals, None when on request."""

    line: int
    external_id: str
    title: str
    description: str
    industry: str
    region: str
    price: Decimal | None
    currency: str
    status: str
    published_at: datetime | None


@dataclass(frozen=True, slots=True)
class RejectedRow:
    """A row that stays out, with everything that is wrong with it."""

    line: int
    problems: tuple[Problem, ...]


class RowReader:
    """Turns records into rows, by the columns and what the whole file proves.

    `zone` is that of times without an offset; `decimal_sign` that of the file's prices.
    """

    def __init__(self, columns: Columns, zone: tzinfo, decimal_sign: str | None) -> None:
        self._columns = columns
        self._zone = zone
        self._decimal_sign = decimal_sign

    def read(self, record: Record) -> FeedRow | RejectedRow:
        """The row, or all its errors."""
        if message := shape_error(record, self._columns):
            return RejectedRow(record.line, (Problem(record.line, "", message),))
        cells = _Cells(record, self._columns)
        external_id = cells.read("external_id", one_line, required=True)
        title = cells.read("title", one_line, required=True)
        description = cells.read("description", block)
        industry = cells.read("industry", find_industry, required=True)
        region = cells.read("region", find_region, required=True)
        price, currency = self._price(cells)
        status = cells.read("status", parse_status)
        published_at = cells.read("published_at", lambda text: parse_moment(text, self._zone))
        if cells.problems:
            return RejectedRow(record.line, cells.told(external_id or ""))
        # Without problems every required cell has a value.
        return FeedRow(
            record.line, external_id or "", title or "", description or "", industry or "",
            region or "", price, currency, status or "", published_at,
        )  # fmt: skip

    def _price(self, cells: _Cells) -> tuple[Decimal | None, str]:
        """Amount and currency; a cell, the currency column and the title must not disagree."""
        price = cells.read("price", lambda text: parse_price(text, self._decimal_sign))
        column = cells.read("currency", require_currency)
        named = [price.currency if price else None, column, self._columns.currency]
        codes = [code for code in named if code]
        if len(set(codes)) > 1:
            cells.reject("price", f"the row names two currencies, {' and '.join(codes)}")
        return price.amount if price else None, codes[0] if codes else CURRENCIES[0]


class _Cells:
    """The cells of one record by field, collecting what is wrong with them."""

    def __init__(self, record: Record, columns: Columns) -> None:
        self._record = record
        self._columns = columns
        self.problems: list[tuple[str, str]] = []

    def read(
        self, field: str, parse: Callable[[str], Value], required: bool = False
    ) -> Value | None:
        """What `parse` makes of the cell; None, and a problem noted, where it cannot."""
        position = self._columns.positions.get(field)
        raw = "" if position is None else self._record.cells[position]
        try:
            text = block(raw) if field == "description" else one_line(raw)
            if required and not text:
                raise UnableToReadCell("is empty")
            _require_length(field, text)
            return parse(text)
        except UnableToReadCell as error:
            self.reject(field, str(error))
            return None

    def reject(self, field: str, message: str) -> None:
        """Note that this field is wrong."""
        self.problems.append((self._columns.title_of(field), message))

    def told(self, external_id: str) -> tuple[Problem, ...]:
        """The problems with their place in the file."""
        return tuple(
            Problem(self._record.line, column, message, external_id)
            for column, message in self.problems
        )


def shape_error(record: Record, columns: Columns) -> str:
    """What is wrong with the number of cells, empty if nothing: empty ones at the end may be."""
    expected, cells = len(columns.titles), record.cells
    if len(cells) < expected:
        return f"has {len(cells)} cells, but the header has {expected}"
    if any(cell.strip() for cell in cells[expected:]):
        return (
            f"has {len(cells)} cells, but the header has {expected} (text that contains the "
            "delimiter must stand in quotes)"
        )
    return ""


def _require_length(field: str, text: str) -> None:
    limit = LENGTHS.get(field)
    if limit and len(text) > limit:
        raise UnableToReadCell(f"has {len(text):,} characters, {limit:,} are allowed")
