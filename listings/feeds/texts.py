"""Text as people write it: cleaned for storing, folded for comparing."""

from __future__ import annotations

import re
import unicodedata

from listings.feeds.problems import UnableToReadCell

_UNDECODED = re.compile("[\udc80-\udcff]")
# Controls but for tab and line feed; invisible marks; overrides that turn text around.
_UNWANTED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]"
)
_NOT_WORD = re.compile(r"[^0-9a-z]+")
_UMLAUTS_SPELT_OUT = re.compile("([aou])e")
_WITHOUT_DECOMPOSITION = str.maketrans({"đ": "d", "ø": "o", "ł": "l", "æ": "ae", "œ": "oe"})


def one_line(value: str) -> str:
    """The text on one line: every run of white space is one blank, controls are gone."""
    return " ".join(block(value).split())


def block(value: str) -> str:
    """The text with its line breaks (as line feeds), without controls and outer white space."""
    if undecoded := _UNDECODED.search(value):
        byte = ord(undecoded.group()) - 0xDC00
        raise UnableToReadCell(
            f"has the byte 0x{byte:02X}, which is no character in the encoding of this file"
        )
    text = value.replace("\r\n", "\n").replace("\r", "\n")
    # Lone halves of surrogate pairs cannot be stored as UTF-8.
    text = _UNWANTED.sub("", text).encode("utf-8", "ignore").decode("utf-8")
    return unicodedata.normalize("NFC", text).strip()


def folded(value: str) -> str:
    """A key under which spellings of one name meet.

    Case, blanks, hyphens, dots, accents and umlauts do not count: `Angebots-Nr.` equals
    `angebotsnr`, `Zürich` equals `zuerich`.
    """
    text = value.casefold().translate(_WITHOUT_DECOMPOSITION)
    text = unicodedata.normalize("NFKD", text)
    text = "".join(character for character in text if not unicodedata.combining(character))
    return _UMLAUTS_SPELT_OUT.sub(r"\1", _NOT_WORD.sub("", text))
