"""What can be wrong with a feed, and how it is told to an operator."""

from __future__ import annotations

from dataclasses import dataclass

SHOWN_LENGTH = 60


class UnableToReadFeed(Exception):
    """Nothing of the file can be used; the message says why and what to do."""


class UnableToReadCell(ValueError):
    """One cell cannot be understood; the message is for the operator."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something to tell about a row: an error (the row stays out) or a note (it went in).

    `line` is the physical line the row starts on, counted from 1 as an editor does; `column` is
    the title of the column in the file, empty when the row as a whole is meant.
    """

    line: int
    column: str
    message: str
    external_id: str = ""
    is_note: bool = False

    def __str__(self) -> str:
        place = f"line {self.line}" if self.line else "feed"
        return (
            f"{place}, column {self.column}: {self.message}"
            if self.column
            else (f"{place}: {self.message}")
        )


def shown(value: str) -> str:
    """The value in quotes for a message: shortened, on one line, every character printable."""
    text = value if len(value) <= SHOWN_LENGTH else value[: SHOWN_LENGTH - 1] + "…"
    return "“" + "".join(map(_printable, text)) + "”"


def _printable(character: str) -> str:
    if 0xDC80 <= ord(character) <= 0xDCFF:  # a byte that could not be decoded
        return f"\\x{ord(character) - 0xDC00:02x}"
    if character.isprintable():
        return character
    return character.encode("unicode_escape", "backslashreplace").decode("ascii")
