"""Finding an industry or region by whatever a feed calls it: a code or a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache, lru_cache

from listings.feeds.problems import UnableToReadCell, shown
from listings.feeds.texts import folded
from listings.taxonomy import TaxonomyNode, industries, iso_region_names, regions

# "C16", "C 16", "C-16.10", "16", "16.1", "16.10.0", and "1610" as some systems write it.
_NACE = re.compile(
    r"(?P<section>[A-U])?[ .-]?(?P<division>[0-9]{2}|(?<![0-9])[1-9](?![0-9]))"
    r"(?:\.[0-9]{1,2}(?:\.[0-9]{1,2})?|[0-9]{2,3})?(?:\s*[-–:]\s+\S.*)?",
    re.IGNORECASE | re.DOTALL,
)
# Words around a region's proper name, folded.
_OFFICIAL_WORDS = (
    "county", "cityof", "canton", "kanton", "gespanschaft", "zupanija", "stadt", "grad",
    "bundesland", "freistaat", "freieundhansestadt", "landes", "land", "stateof", "state",
    "republic", "republik", "republika",
)  # fmt: skip
_OTHER_NAMES = {
    "nrw": "DE-NW", "mcpomm": "DE-MV", "badenwuerttemberg": "DE-BW", "meckpomm": "DE-MV",
    "grisons": "CH-GR", "bunden": "CH-GR", "istra": "HR-18", "istria": "HR-18",
    "tyrol": "AT-7", "suisse": "CH", "svizzera": "CH", "brd": "DE", "republikaoesterreich": "AT",
}  # fmt: skip
# The canton; but in a German feed it is as likely the city in Baden.
_TOO_AMBIGUOUS = {"freiburg"}


def find_industry(text: str) -> str:
    """The NACE code (`C16`, or a section `C`) for a code or a name in any of our languages.

    Groups and classes ("16.10") count as their division. Raises UnableToReadCell, with the
    nearest names, for anything unknown.
    """
    return _industry(text)


def find_region(text: str) -> str:
    """The ISO 3166 code (`DE-BY`, or a country `DE`) for a code or a name.

    Raises UnableToReadCell, with what could be meant, for anything unknown or ambiguous.
    """
    return _region(text)


@lru_cache(maxsize=4096)
def _industry(text: str) -> str:
    if match := _NACE.fullmatch(text):
        return _division(match["section"], match["division"].zfill(2), text)
    codes = _industry_names().get(folded(text), frozenset())
    return _single(codes, text, "industry", _industry_names(), _titles(industries()))


def _division(section: str | None, division: str, text: str) -> str:
    by_number = {node.code[1:]: node.code for node in industries() if node.parent_code}
    code = by_number.get(division)
    if code is None:
        raise UnableToReadCell(f"{shown(text)} is no industry: NACE has no division {division}")
    if section and code[0] != section.upper():
        raise UnableToReadCell(
            f"{shown(text)} is no industry: division {division} belongs to section {code[0]}; "
            f"did you mean {_titles(industries())[code]}?"
        )
    return code


@lru_cache(maxsize=4096)
def _region(text: str) -> str:
    key = folded(text)
    names = _region_names()
    codes = names.get(key) or names.get(_proper_name(key)) or frozenset()
    if key in _TOO_AMBIGUOUS:
        raise UnableToReadCell(
            f"{shown(text)} may be the Swiss canton or the city in Baden; write CH-FR or DE-BW"
        )
    country = text[:2].upper()
    parts = [node.code for node in regions() if node.parent_code == country]
    if not codes and parts and re.fullmatch(r"[A-Za-z]{2}[-_ ]\w{1,3}", text):
        known = ", ".join(parts)
        raise UnableToReadCell(f"{shown(text)} is no region; {country} has {known}")
    return _single(codes, text, "region", names, _titles(regions()))


def _single(
    codes: frozenset[str], text: str, what: str, names: Mapping[str, frozenset[str]],
    titles: Mapping[str, str],
) -> str:  # fmt: skip
    """The only code among `codes`; otherwise an error that says what could be meant."""
    if len(codes) == 1:
        return next(iter(codes))
    if codes:
        raise UnableToReadCell(f"{shown(text)} is ambiguous: {_either(codes, titles)}")
    near = get_close_matches(folded(text)[:100], names, n=3, cutoff=0.7)
    suggested = frozenset().union(*(names[name] for name in near))
    hint = f"; did you mean {_either(suggested, titles)}?" if suggested else ""
    raise UnableToReadCell(f"{shown(text)} is no known {what}{hint}")


@cache
def _industry_names() -> Mapping[str, frozenset[str]]:
    """Folded name → codes. A name a section shares with its only division means the division."""
    names = _index((name, node.code) for node in industries() for name in node.names)
    sections = {node.code: frozenset({node.code}) for node in industries() if not node.parent_code}
    for key, codes in names.items():
        if len(codes) > 1:
            names[key] = frozenset(code for code in codes if code not in sections)
    return {**names, **{code.lower(): found for code, found in sections.items()}}


@cache
def _region_names() -> Mapping[str, frozenset[str]]:
    """Folded code or name → codes, with and without words such as "county" or "Kanton"."""
    spellings = [(name, node.code) for node in regions() for name in (node.code, *node.names)]
    spellings += [(name, code) for code, names in iso_region_names().items() for name in names]
    spellings += list(_OTHER_NAMES.items())
    spellings += [(node.code.replace("-0", "-"), node.code) for node in regions()]
    exact = _index(spellings)
    short = _index((_proper_name(key), code) for key, codes in exact.items() for code in codes)
    return {**short, **exact}


def _proper_name(key: str) -> str:
    """The folded name without official words at either end."""
    for word in _OFFICIAL_WORDS:
        if len(key) > len(word) + 2:
            key = key.removeprefix(word).removesuffix(word)
    return key


def _index(spellings: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    index: dict[str, set[str]] = {}
    for spelling, code in spellings:
        index.setdefault(folded(spelling), set()).add(code)
    return {key: frozenset(codes) for key, codes in index.items()}


def _titles(nodes: Iterable[TaxonomyNode]) -> dict[str, str]:
    return {node.code: f"{node.code} ({node.name_en})" for node in nodes}


def _either(codes: Iterable[str], titles: Mapping[str, str]) -> str:
    return " or ".join(titles[code] for code in sorted(codes)[:4])
