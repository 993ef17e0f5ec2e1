"""Header values as mail systems take them."""

from email.header import decode_header, make_header

import pytest

from notifications.providers.mime import encoded


@pytest.mark.parametrize(
    "value",
    ["Plain", "Grüße", "3 neue Unternehmen für „Mühlen“", "ä" * 200, "🥐" * 11, "€" * 15, "€" * 16],
)
@pytest.mark.parametrize("is_folded", [True, False])
def test_a_value_is_ascii_and_reads_the_same(value: str, is_folded: bool) -> None:
    text = encoded("Subject", value, is_folded=is_folded)
    assert text.isascii()
    assert str(make_header(decode_header(text))) == value
    assert is_folded or "\n" not in text
    assert not is_folded or all(len(line) <= 78 for line in text.split("\r\n"))
