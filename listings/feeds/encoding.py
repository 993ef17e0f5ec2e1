"""Which encoding a feed is in, decided on the whole file.

The first umlaut may stand in its last line, so a look at the beginning proves nothing.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from typing import BinaryIO

from listings.feeds.problems import UnableToReadFeed

CHUNK = 1 << 20
WINDOWS = "cp1252"
_UNDECODED = re.compile("[\udc80-\udcff]")
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NOT_TEXT = {
    b"PK\x03\x04": "an Excel workbook or ZIP archive",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"\x1f\x8b": "a gzip archive",
    b"%PDF": "a PDF",
}


def detect_encoding(file: BinaryIO) -> str:
    """The codec's name for the whole file, which is left at its beginning.

    A byte order mark decides; else UTF-8 where the bytes are UTF-8; else Windows-1252. A file
    with more UTF-8 sequences than stray bytes is damaged UTF-8, not Windows-1252: its damaged
    rows are refused one by one, and the umlauts of all others stay what they are.
    Raises UnableToReadFeed for an empty file and for one that is no text.
    """
    file.seek(0)
    head = file.read(1024)
    if not head:
        raise UnableToReadFeed("The file is empty.")
    for magic, what in _NOT_TEXT.items():
        if head.startswith(magic):
            raise UnableToReadFeed(f"The file is {what}, not a CSV. Save it as CSV first.")
    encoding = _by_head(head) or _by_contents(file)
    file.seek(0)
    return encoding


def require_text_encoding(name: str) -> str:
    """The name of an encoding an operator asked for, checked; `utf-8` tolerates a mark.

    Raises UnableToReadFeed for a name that is none.
    """
    try:
        codec = codecs.lookup(name)
        io.TextIOWrapper(io.BytesIO(), name)  # refuses codecs that do not make text of bytes
    except LookupError as error:
        raise UnableToReadFeed(f"Python knows no text encoding called “{name}”.") from error
    return "utf-8-sig" if codec.name == "utf-8" else codec.name


def undecodable_policy(encoding: str) -> str:
    """How the decoder treats bytes that are no character.

    Where bytes stand alone they are kept as marks, so that one bad byte costs one row. The
    two- and four-byte encodings lose their step there, so nothing after it could be trusted.
    """
    return "strict" if encoding.startswith(("utf-16", "utf-32")) else "surrogateescape"


def _by_head(head: bytes) -> str | None:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return encoding
    # Every second byte of Western text in UTF-16 is zero; no other encoding looks like that.
    if head.count(0) > len(head) // 3:
        return "utf-16-be" if head[0] == 0 else "utf-16-le"
    return None


def _by_contents(file: BinaryIO) -> str:
    stray = sequences = 0
    for size, text in _decoded_as_utf8(file):
        sequences += size - len(text)
        stray += 0 if text.isascii() else len(_UNDECODED.findall(text))
    return "utf-8" if not stray or sequences > stray else WINDOWS


def _decoded_as_utf8(file: BinaryIO) -> Iterator[tuple[int, str]]:
    """Number of bytes and text of each piece of the file; stray bytes are kept as marks."""
    file.seek(0)
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    while chunk := file.read(CHUNK):
        yield len(chunk), decoder.decode(chunk)
    yield 0, decoder.decode(b"", final=True)
