"""Mail templates with blanks: rendered once a language, then filled in for each mail.

Most of a digest is the same for everybody who reads its language, and Django's templates take
longer to say it than everything else a mail costs. So a template is rendered with a marker for
each value, cut at the markers, and joined again with the values of each mail.

A template for this shows its values as they are (no filters, no loops) and asks of them at most
whether they are empty: an empty value is empty for the template, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from html import escape

from django.template.loader import render_to_string
from django.utils import translation
from django.utils.safestring import SafeString, mark_safe

# Characters for private use, which no template of ours holds. Values may: they are never searched.
MARKER = "\ue000{}\ue001"
MARKERS = re.compile(MARKER.format(r"(\w+)"))


def fill_in(template: str, language: str, values: Mapping[str, str]) -> SafeString:
    """The template with these values, in this language; without the line end of its file.

    In `.html` whatever is not a safe string is escaped, as Django's templates do it.
    """
    pieces, names = _stencil(template, language, tuple(values), tuple(map(bool, values.values())))
    filled = pieces.copy()
    if template.endswith(".html"):
        filled[1::2] = [
            value if isinstance(value, SafeString) else _escaped(value)
            for value in map(values.__getitem__, names)
        ]
    else:
        filled[1::2] = [values[name] for name in names]
    return SafeString("".join(filled))


@lru_cache(maxsize=4096)
def _escaped(value: str) -> str:
    """Most values stand in many mails, or twice in one."""
    return escape(value)


@lru_cache(maxsize=512)
def _stencil(
    template: str, language: str, names: tuple[str, ...], are_given: tuple[bool, ...]
) -> tuple[list[str], list[str]]:
    """Text and markers' names in turn, and the names alone."""
    markers = {
        name: mark_safe(MARKER.format(name)) if is_given else ""  # noqa: S308
        for name, is_given in zip(names, are_given, strict=True)
    }
    with translation.override(language):
        rendered = render_to_string(template, markers)
    pieces = MARKERS.split(rendered.removesuffix("\n"))
    return pieces, pieces[1::2]
