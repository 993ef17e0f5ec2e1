"""The two trees companies are sorted into: industries (NACE Rev. 2) and regions (ISO 3166-2).

Pure: reads data files and pycountry's catalogues, knows nothing of the database. Parents come
before their children, so that a loader can insert in order.
"""

from __future__ import annotations

import csv
import gettext
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pycountry

DATA = Path(__file__).parent / "data"
COUNTRIES = ("DE", "AT", "CH", "HR")
LANGUAGES = ("en", "de", "hr")


@dataclass(frozen=True, slots=True)
class TaxonomyNode:
    """A section or division, a country or subdivision; a root has no parent code."""

    code: str
    parent_code: str | None
    name_en: str
    name_de: str
    name_hr: str

    @property
    def names(self) -> tuple[str, str, str]:
        """The English, German and Croatian name."""
        return self.name_en, self.name_de, self.name_hr


@cache
def industries() -> tuple[TaxonomyNode, ...]:
    """NACE Rev. 2: the 21 sections (`C`), each followed by its divisions (`C16`)."""
    return tuple(
        TaxonomyNode(row["code"], row["parent"] or None, row["en"], row["de"], row["hr"])
        for row in _read("industries.csv")
    )


@cache
def regions() -> tuple[TaxonomyNode, ...]:
    """ISO 3166: the countries of the marketplace (`DE`), each followed by its parts (`DE-BY`)."""
    corrections = {row["code"]: row for row in _read("region_names.csv")}
    return tuple(
        TaxonomyNode(code, parent, *_names(name, domain, corrections.get(code, {})))
        for code, parent, name, domain in _iso_entries()
    )


def iso_region_names() -> dict[str, tuple[str, ...]]:
    """Each region's names as pycountry has them, ours or not: other writers' spellings."""
    return {code: _names(name, domain, {}) for code, _, name, domain in _iso_entries()}


def _iso_entries() -> Iterator[tuple[str, str | None, str, str]]:
    """Code, parent code, name and gettext domain of every region."""
    for country in COUNTRIES:
        yield country, None, pycountry.countries.lookup(country).name, "iso3166-1"
        parts = pycountry.subdivisions.get(country_code=country)
        for part in sorted(parts, key=lambda part: part.code):
            yield part.code, country, part.name, "iso3166-2"


def _names(name: str, domain: str, correction: dict[str, str]) -> tuple[str, str, str]:
    """The name in each language: the correction where there is one, else pycountry's."""
    english, german, croatian = (
        correction.get(language) or _catalogue(domain, language).gettext(name)
        for language in LANGUAGES
    )
    return english, german, croatian


@cache
def _catalogue(domain: str, language: str) -> gettext.NullTranslations:
    # For countries pycountry ships no English catalogue: its source names are English.
    return gettext.translation(
        domain, pycountry.LOCALES_DIR, languages=[language], fallback=language == "en"
    )


def _read(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
