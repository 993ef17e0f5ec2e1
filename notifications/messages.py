"""One message, ready to leave: plain frozen values between message sources and providers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

LINE_BREAKS = re.compile(r"[\r\n\x00-\x1f\x7f\u0085\u2028\u2029]+")


def one_line(text: str) -> str:
    """The text without line breaks and control characters: no header can be smuggled in."""
    return " ".join(LINE_BREAKS.sub(" ", text).split())


class SharedBody(NamedTuple):
    """What messages must have in common to travel in one request: see `Message.shared`."""

    from_address: str
    reply_to: str
    category: str
    subject: str
    text: str
    html: str


@dataclass(frozen=True, slots=True)
class Message:
    """A composed message for one recipient. Every header value is made a single line.

    `substitutions` are put in place of their tags (such as `-code-`) in subject, text and html,
    exactly as they are: a value that stands in html is escaped by whoever composes, under a tag of
    its own where the text shows it too. An SMS has only `to` and `text`.
    """

    to: str
    subject: str = ""
    text: str = ""
    html: str = ""
    to_name: str = ""
    from_address: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    category: str = ""
    substitutions: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("to", "subject", "to_name", "from_address"):
            object.__setattr__(self, name, one_line(getattr(self, name)))
        headers = {one_line(key): one_line(value) for key, value in self.headers.items()}
        object.__setattr__(self, "headers", headers)

    @property
    def reply_to(self) -> str:
        """The Reply-To header, which some providers want beside the others; '' if none."""
        return next((text for name, text in self.headers.items() if name.lower() == "reply-to"), "")

    @property
    def shared(self) -> SharedBody:
        """Messages with an equal `shared` may stand in one request: the rest is per recipient."""
        return SharedBody(
            self.from_address, self.reply_to, self.category, self.subject, self.text, self.html
        )

    def filled_in(self) -> Message:
        """The message with its substitutions made: for providers that make none themselves."""
        if not self.substitutions:
            return self
        # In one pass, longest tag first: a value that looks like a tag stays as it is.
        tags = sorted(self.substitutions, key=len, reverse=True)
        pattern = re.compile("|".join(map(re.escape, tags)))
        made: dict[str, Any] = {
            name: pattern.sub(lambda tag: self.substitutions[tag[0]], getattr(self, name))
            for name in ("subject", "text", "html")
        }
        return replace(self, **made, substitutions={})


@dataclass(frozen=True, slots=True)
class NotWanted:
    """The delivery must not be sent any more; `reason` is a `Reason` value."""

    reason: str
