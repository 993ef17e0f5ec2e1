"""Every address of the site, taken from the resolver, with whatever may stand in its places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RegexPattern, RoutePattern
from django.utils.regex_helper import normalize

PLACE = re.compile(r"<(?:(?P<kind>\w+):)?(?P<name>\w+)>")


def all_templates() -> list[str]:
    """Paths with `{int}`, `{slug}`, `{str}`, … where the patterns have parameters."""
    return sorted(set(_walk(get_resolver().url_patterns, "/")))


def _walk(patterns: list[URLPattern | URLResolver], start: str) -> Iterator[str]:
    for entry in patterns:
        for part in _templates(entry.pattern):
            path = start + part
            if isinstance(entry, URLResolver):
                yield from _walk(entry.url_patterns, path)
            else:
                yield path


def _templates(pattern: object) -> list[str]:
    if isinstance(pattern, RoutePattern):
        return [PLACE.sub(lambda found: "{" + (found["kind"] or "str") + "}", str(pattern))]
    assert isinstance(pattern, RegexPattern)
    found = normalize(pattern.regex.pattern)
    return [text % dict.fromkeys(names, "{str}") for text, names in found]


def filled(template: str, values: Mapping[str, str]) -> str:
    """The template with the value for each kind of place; other kinds get that of `str`."""
    return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], values["str"]), template)
