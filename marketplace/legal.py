"""Imprint, privacy and terms: texts of the operator, a file a page and language.

`OPERATOR_TEXTS_DIR` holds `imprint.de.txt`, `privacy.en.txt` and so on, as plain text: blank lines
part paragraphs, a paragraph that begins with `# ` is a heading. Nothing in them is taken as HTML.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext_lazy as _

TITLES: Mapping[str, Any] = {
    "imprint": _("Imprint"),
    "privacy": _("Privacy"),
    "terms": _("Terms"),
}


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, or a heading between them."""

    text: str
    is_heading: bool


@dataclass(frozen=True, slots=True)
class LegalText:
    """What a page says, and in which language: the operator's first where the reader's is missing.

    Without any text the page says that it is to come.
    """

    blocks: tuple[Block, ...]
    language: str


def legal_text(page: str, language: str) -> LegalText:
    """The operator's text for a page of `TITLES`."""
    for candidate in dict.fromkeys([language, *dict(settings.LANGUAGES)]):
        if (text := _read(page, candidate)) is not None:
            return LegalText(_blocks(text), candidate)
    return LegalText((), language)


def missing_texts() -> list[str]:
    """The names of the files that the operator has yet to write."""
    return [
        f"{page}.{language}.txt"
        for page in TITLES
        for language in dict(settings.LANGUAGES)
        if _read(page, language) is None
    ]


def _read(page: str, language: str) -> str | None:
    if not settings.OPERATOR_TEXTS_DIR:
        return None
    try:
        text = (Path(settings.OPERATOR_TEXTS_DIR) / f"{page}.{language}.txt").read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return text.strip() or None


def _blocks(text: str) -> tuple[Block, ...]:
    parts = ("\n".join(lines) for lines in _paragraphs(text))
    return tuple(Block(part.removeprefix("# "), part.startswith("# ")) for part in parts)


def _paragraphs(text: str) -> list[list[str]]:
    """The lines of each paragraph."""
    found: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.strip():
            found[-1].append(line.rstrip())
        elif found[-1]:
            found.append([])
    return [lines for lines in found if lines]
