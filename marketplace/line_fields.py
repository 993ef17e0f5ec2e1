"""Names and titles: one line that people can read, whatever was sent."""

from __future__ import annotations

import unicodedata
from typing import Any

from django import forms

# They turn round the text that follows them, also that of others beside it.
TURNING = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
INVISIBLE = {"Cc", "Cf", "Zl", "Zp", "Zs"}


class LineField(forms.CharField):
    """Text in one line; nothing but invisible characters is nothing."""

    def to_python(self, value: Any) -> str:
        """Line breaks become spaces; marks that turn the direction of others' text go."""
        text = str(super().to_python(value) or "")
        line = " ".join(text.splitlines()).translate(TURNING)
        is_seen = any(unicodedata.category(sign) not in INVISIBLE for sign in line)
        # A null character stays, for the validator that refuses it.
        return line.strip() if is_seen or "\0" in line else ""
