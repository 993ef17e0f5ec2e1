"""Which encoding a feed is in, and what one bad byte costs."""

import codecs

import pytest

from listings.feeds.problems import UnableToReadFeed
from tests.factories.feeds import opened, titles, told

HEADER = "id;title;industry;region\n"


@pytest.mark.parametrize(
    ("encoding", "mark", "detected"),
    [
        ("utf-8", b"", "utf-8"),
        ("utf-8", codecs.BOM_UTF8, "utf-8-sig"),
        ("utf-16-le", codecs.BOM_UTF16_LE, "utf-16"),
        ("utf-16-be", codecs.BOM_UTF16_BE, "utf-16"),
        ("utf-16-le", b"", "utf-16-le"),
        ("utf-32-le", codecs.BOM_UTF32_LE, "utf-32"),
        ("cp1252", b"", "cp1252"),
    ],
)
def test_the_encoding_is_found(encoding: str, mark: bytes, detected: str) -> None:
    content = mark + (HEADER + "1;Gärtnerei – Müßig €;A01;DE-BY\n").encode(encoding)
    assert opened(content).encoding == detected
    assert titles(content) == ["Gärtnerei – Müßig €"]


def test_the_encoding_is_decided_by_the_last_line_too() -> None:
    filler = "".join(f"{n};Plain {n};C16;DE-BY\n" for n in range(60_000))
    content = (HEADER + filler + "x;Bäckerei;C10;DE-BY\n").encode("cp1252")
    assert len(content) > 1 << 20
    assert titles(content)[-1] == "Bäckerei"


def test_a_stray_byte_in_a_utf8_file_costs_its_own_row_only() -> None:
    content = (
        HEADER.encode()
        + "1;Bäckerei;C10;DE-BY\n".encode()
        + b"2;B\xe4ckerei;C10;DE-BY\n"
        + "3;Gärtnerei mit Café;A01;DE-BY\n".encode()
    )
    assert titles(content) == ["Bäckerei", "Gärtnerei mit Café"]
    assert told(content) == [
        "line 3, column title: has the byte 0xE4, which is no character in the encoding of this "
        "file"
    ]


def test_a_byte_windows_1252_does_not_have_costs_its_own_row_only() -> None:
    content = HEADER.encode() + b"1;B\xe4cker;C10;DE-BY\n2;X\x81Y;C10;DE-BY\n"
    assert titles(content) == ["Bäcker"]
    assert told(content) == [
        "line 3, column title: has the byte 0x81, which is no character in the encoding of this "
        "file"
    ]


def test_an_operator_names_the_encoding() -> None:
    content = (HEADER + "1;Žičara Čakovec;H49;HR-20\n").encode("cp1250")
    assert titles(content, encoding="cp1250") == ["Žičara Čakovec"]


@pytest.mark.parametrize("encoding", ["klingon", "base64", "rot13"])
def test_an_encoding_that_is_none_is_refused(encoding: str) -> None:
    with pytest.raises(UnableToReadFeed, match="no text encoding"):
        opened(HEADER, encoding=encoding)
