"""One message, ready to leave: plain frozen values between message sources and providers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

LINE_BREAKS = re.compile(r"[\r\n\x00-\x1f\x7f\u0085\u2028\u2029]+")


def one_line(text: str) -> str:
    """The text without line breaks and control characters: no header can be smuggled in."""
    return " ".join(LINE_BREAKS.sub(" ", text).split())


@dataclass(frozen=True, slots=True)
class Message:
    """A composed mail for one recipient. Every header value is made a single line."""

    to: str
    subject: str
    text: str
    html: str = ""
    to_name: str = ""
    from_address: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    category: str = ""

    def __post_init__(self) -> None:
        for name in ("to", "subject", "to_name", "from_address"):
            object.__setattr__(self, name, one_line(getattr(self, name)))
        headers = {one_line(key): one_line(value) for key, value in self.headers.items()}
        object.__setattr__(self, "headers", headers)


@dataclass(frozen=True, slots=True)
class NotWanted:
    """The delivery must not be sent any more; `reason` is a `Reason` value."""

    reason: str
