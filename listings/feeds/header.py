"""The header of a feed: its delimiter, and which column holds what."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass

from listings.feeds.problems import UnableToReadFeed, shown
from listings.feeds.texts import folded

DELIMITERS = (";", ",", "\t")
DELIMITER_NAMES = {"tab": "\t", "\\t": "\t", "semicolon": ";", "comma": ",", "pipe": "|"}
REQUIRED = ("external_id", "title", "industry", "region")

FIELD_NAMES: Mapping[str, str] = {
    "external_id": """
        external_id, id, listing id, listing no, listing number, offer id, offer no, offer number,
        reference, reference no, reference number, ref, ref no, number, no, Angebot, Angebots-Nr,
        Angebotsnummer, Angebots-ID, Inserat, Inserats-Nr, Inserat-Nr, Inseratsnummer, Inserats-ID,
        Inserat-ID, Objekt-Nr, Objektnummer, Objekt-ID, Exposé-Nr, Exposénummer, Referenz,
        Referenz-Nr, Referenznummer, Kennung, Kennziffer, Chiffre, Chiffre-Nr, Nummer, Nr,
        externe ID, externe Nummer, šifra, šifra ponude, broj, broj ponude, oznaka""",
    "title": """
        title, headline, heading, name, company, company name, listing title, Titel, Überschrift,
        Bezeichnung, Betreff, Angebotstitel, Firma, Firmenname, Unternehmen, naslov, naziv,
        naziv tvrtke""",
    "description": """
        description, text, details, summary, listing text, Beschreibung, Kurzbeschreibung,
        Angebotstext, Angebotsbeschreibung, Unternehmensbeschreibung, Langtext, Erläuterung,
        opis, tekst""",
    "industry": """
        industry, industry code, sector, trade, nace, nace code, nace rev 2, Branche,
        Branchencode, Branchenschlüssel, Branchen-Nr, Sektor, Wirtschaftszweig, Gewerbe, WZ,
        WZ-Code, WZ 2008, djelatnost, šifra djelatnosti, industrija, nkd""",
    "region": """
        region, region code, state, federal state, province, canton, county, location, iso region,
        iso 3166-2, Bundesland, Kanton, Gebiet, Standort, Regionscode, Region-Code, regija,
        županija, lokacija""",
    "price": """
        price, asking price, sale price, selling price, purchase price, amount, Kaufpreis, Preis,
        Verkaufspreis, VK-Preis, Preisvorstellung, Kaufpreisvorstellung, Angebotspreis, Betrag,
        cijena, tražena cijena, prodajna cijena""",
    "currency": """
        currency, currency code, price currency, Währung, Währungscode, Preis Währung, valuta""",
    "published_at": """
        published_at, published, published on, publication date, publish date, date published,
        date, online since, listed on, Veröffentlicht, veröffentlicht am, Veröffentlichung,
        Veröffentlichungsdatum, Datum, online seit, eingestellt am, Einstelldatum,
        Erscheinungsdatum, objavljeno, datum objave, datum""",
    "status": """
        status, listing status, offer status, Angebotsstatus, Inseratsstatus, Zustand, stanje""",
}
_FIELD_BY_NAME = {
    folded(name): field for field, names in FIELD_NAMES.items() for name in names.split(",")
}
_PRICE_WITH_CURRENCY = re.compile(r"^(?P<name>.+?)(?:in)?(?P<currency>eur|chf|usd|gbp)o?$")
_SYMBOLS = str.maketrans({"€": "eur", "$": "usd", "£": "gbp"})
_EXCEL_HINT = re.compile(r'^\ufeff?"?sep=(?P<delimiter>[^"\r\n])"?\s*$', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Columns:
    """Where each field stands, and what its column is called in the file.

    `positions` holds the recognised fields only. `currency` is one named by the title of the
    price column ("Price (CHF)"), else empty. `ignored` are the titles nothing was made of.
    """

    titles: tuple[str, ...]
    positions: Mapping[str, int]
    currency: str
    ignored: tuple[str, ...]

    def title_of(self, field: str) -> str:
        """The column's title in the file, the field's own name where the file has none."""
        return self.titles[self.positions[field]] if field in self.positions else field


def excel_delimiter_hint(line: str) -> str | None:
    """The delimiter of a first line such as `sep=;`, which Excel writes and hides."""
    match = _EXCEL_HINT.match(line)
    return match["delimiter"] if match else None


def require_delimiter(given: str) -> str:
    """The one character an operator named, literally or as `tab`; UnableToReadFeed otherwise."""
    delimiter = DELIMITER_NAMES.get(given.casefold(), given)
    if len(delimiter) != 1 or delimiter in '"\r\n ' or delimiter.isalnum():
        raise UnableToReadFeed(f"{shown(given)} is no delimiter: name one character, or tab.")
    return delimiter


def detect_delimiter(line: str, mapping: Mapping[str, str]) -> str:
    """The delimiter that makes most columns of this header known, and most columns at all."""

    def score(delimiter: str) -> tuple[int, int]:
        titles = next(csv.reader([line], delimiter=delimiter), [])
        known = sum(1 for title in titles if _recognised(title)[0] or title.strip() in mapping)
        return known, len(titles)

    return max(DELIMITERS, key=score)


def read_columns(cells: list[str], mapping: Mapping[str, str]) -> Columns:
    """Recognise the columns by their titles; `mapping` (title → field) goes before.

    Raises UnableToReadFeed when a required field has no column or any field has two.
    """
    titles = tuple(" ".join(cell.replace("\ufeff", "").split()) for cell in cells)
    mapped = _mapped(titles, mapping)
    found: dict[str, list[int]] = {}
    for position, title in enumerate(titles):
        field = mapped.get(position) or _recognised(title)[0]
        if field and (position in mapped or field not in mapped.values()):
            found.setdefault(field, []).append(position)
    _refuse_doubled(titles, found)
    _refuse_missing(titles, found)
    positions = {field: places[0] for field, places in found.items()}
    used = set(positions.values())
    currency = _recognised(titles[positions["price"]])[1] if "price" in positions else ""
    ignored = tuple(title for place, title in enumerate(titles) if title and place not in used)
    return Columns(titles, positions, currency, ignored)


def _recognised(title: str) -> tuple[str, str]:
    """The field a title names, and the currency if it names one; empty for none."""
    key = folded(title.casefold().translate(_SYMBOLS))
    if field := _FIELD_BY_NAME.get(key, ""):
        return field, ""
    match = _PRICE_WITH_CURRENCY.match(key)
    if match and _FIELD_BY_NAME.get(match["name"]) == "price":
        return "price", match["currency"].upper()
    return "", ""


def _mapped(titles: tuple[str, ...], mapping: Mapping[str, str]) -> dict[int, str]:
    """Position → field for the columns an operator mapped."""
    positions: dict[int, str] = {}
    for title, field in mapping.items():
        if field not in FIELD_NAMES:
            known = ", ".join(FIELD_NAMES)
            raise UnableToReadFeed(f"--map: {shown(field)} is no field; there are {known}.")
        places = [place for place, other in enumerate(titles) if folded(other) == folded(title)]
        if not places:
            raise UnableToReadFeed(
                f"--map: the feed has no column {shown(title)}; it has {_listed(titles)}."
            )
        positions.update(dict.fromkeys(places, field))
    return positions


def _refuse_doubled(titles: tuple[str, ...], found: Mapping[str, list[int]]) -> None:
    for field, places in found.items():
        if len(places) > 1:
            columns = " and ".join(f"{place + 1} {shown(titles[place])}" for place in places)
            raise UnableToReadFeed(
                f"The columns {columns} both hold the {_spoken(field)}. Name the right one with "
                f"--map 'Title={field}', or remove the other."
            )


def _refuse_missing(titles: tuple[str, ...], found: Mapping[str, list[int]]) -> None:
    missing = [field for field in REQUIRED if field not in found]
    if missing:
        raise UnableToReadFeed(
            f"The feed has no column for {', '.join(map(_spoken, missing))}. It has "
            f"{_listed(titles)}. Name the right one with --map 'Title={missing[0]}'."
        )


def _spoken(field: str) -> str:
    return field.replace("_", " ")


def _listed(titles: tuple[str, ...]) -> str:
    return ", ".join(map(shown, titles[:30])) + (", …" if len(titles) > 30 else "")
