"""Prices as people write them: with currency, in words such as `Mio.`, or on request."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from listings.feeds import amounts
from listings.feeds.problems import UnableToReadCell, shown

CURRENCIES = ("EUR", "CHF", "USD", "GBP")
LIMIT = Decimal(10) ** 12
CENT = Decimal("0.01")

_CURRENCY_WORDS = {
    "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR", "eura": "EUR", "chf": "CHF",
    "sfr": "CHF", "fr": "CHF", "franken": "CHF", "$": "USD", "us$": "USD", "usd": "USD",
    "£": "GBP", "gbp": "GBP",
}  # fmt: skip
_FACTOR_WORDS = {
    1_000: "tsd tausend thousand k t tis tisuća tisuca",
    1_000_000: "mio million millionen millions m mn mln mil milijun milijuna",
    1_000_000_000: "mrd milliarde milliarden billion bn mlrd",
}
_FACTORS = {word: factor for factor, words in _FACTOR_WORDS.items() for word in words.split()}
_THOUSANDS_OF = {f"t{word}": currency for word, currency in _CURRENCY_WORDS.items()}  # "TEUR"
_NO_MEANING = {"vb", "vhb", "verhandlungsbasis", "negotiable", "festpreis", "fp", "only"}
_ON_REQUEST = re.compile(
    r"|v\.?h?\.?b\.?|verhandlungsbasis|verhandelbar|nach vereinbarung|(preis )?auf anfrage"
    r"|a\. ?a\.?|(price )?(up)?on (request|application|demand)|p\.?o\.?[ar]\.?|negotiable|tb[ad]"
    r"|n\.?/?a\.?|k\. ?a\.?|keine angaben?|null|(cijena )?(na upit|po dogovoru)|[-–—]+"
)
_BLANKS = str.maketrans(dict.fromkeys("\u00a0\u2007\u2009\u202f\t\n", " "))
_NUMBER = re.compile(r"[0-9]+(?:[.,'’‘`´ ][0-9]+)*")
_ROUND_END = re.compile(r"\s*[.,](?:[-–—−]{1,2})?(?![0-9])")  # the end of "690'000.–"
_WORDS = re.compile(r"us\$|t?[€$£]|[^\W\d_]+|[^\s.]")


@dataclass(frozen=True, slots=True)
class Price:
    """An amount above zero, None when on request; a currency only where the cell names one."""

    amount: Decimal | None
    currency: str | None = None


@dataclass(frozen=True, slots=True)
class _Parts:
    """A cell taken apart: digits with their separators (None: on request), factor, currency."""

    number: str | None
    factor: int = 1
    currency: str | None = None

    @property
    def in_millions(self) -> bool:
        return self.factor >= 1_000_000


def parse_price(text: str, decimal_sign: str | None = None) -> Price:
    """What the cell says; `decimal_sign` is what the file's other prices prove, if anything.

    Raises UnableToReadCell when it is neither a price above zero nor on request.
    """
    parts = _taken_apart(text)
    if parts.number is None:
        return Price(None, parts.currency)
    amount = amounts.read_amount(parts.number, decimal_sign, parts.in_millions) * parts.factor
    if amount == 0:
        raise UnableToReadCell("the price is zero; leave it empty when it is on request")
    if amount >= LIMIT:
        raise UnableToReadCell(f"{shown(text)} is too high to be a price")
    if amount != amount.quantize(CENT):
        raise UnableToReadCell(f"{shown(text)} has more than two decimals")
    return Price(amount.quantize(CENT), parts.currency)


def proven_decimal_sign(text: str) -> str | None:
    """`.` or `,` when this cell alone proves which one its writer uses for decimals."""
    try:
        parts = _taken_apart(text)
    except UnableToReadCell:
        return None
    return amounts.proven_decimal_sign(parts.number, parts.in_millions) if parts.number else None


def _taken_apart(text: str) -> _Parts:
    plain = text.casefold().translate(_BLANKS).strip()
    found = _NUMBER.search(plain)
    if found is None:
        return _Parts(None, currency=_currency_of_request(plain, text))
    before, after = plain[: found.start()], _ROUND_END.sub(" ", plain[found.end() :], count=1)
    if re.search(r"[-–—−(]|(^|\s)[.,]$", before):
        raise UnableToReadCell(f"{shown(text)} is negative or no single price")
    factors, currencies = _understood(_WORDS.findall(f"{before} {after}"), text)
    return _Parts(found.group(), factors.pop() if factors else 1, _only(currencies, text))


def _understood(words: list[str], text: str) -> tuple[list[int], set[str]]:
    """The factors and currencies the words around a number name."""
    factors = [_FACTORS[word] for word in words if word in _FACTORS]
    factors += [1_000 for word in words if word in _THOUSANDS_OF]
    currencies = {_CURRENCY_WORDS[word] for word in words if word in _CURRENCY_WORDS}
    currencies |= {_THOUSANDS_OF[word] for word in words if word in _THOUSANDS_OF}
    known = _FACTORS.keys() | _THOUSANDS_OF.keys() | _CURRENCY_WORDS.keys() | _NO_MEANING
    if len(factors) > 1 or not known.issuperset(words):
        raise UnableToReadCell(f"{shown(text)} is not one price")
    return factors, currencies


def _currency_of_request(plain: str, text: str) -> str | None:
    """The currency beside the words for "on request", if any; an error for other words."""
    words = plain.split()
    currencies = {_CURRENCY_WORDS[word] for word in words if word in _CURRENCY_WORDS}
    rest = " ".join(word for word in words if word not in _CURRENCY_WORDS)
    if not _ON_REQUEST.fullmatch(rest):
        raise UnableToReadCell(f"{shown(text)} is no price")
    return _only(currencies, text)


def _only(currencies: set[str], text: str) -> str | None:
    if len(currencies) > 1:
        raise UnableToReadCell(f"{shown(text)} names two currencies")
    return next(iter(currencies), None)


def require_currency(text: str) -> str | None:
    """The code of a currency column's cell, None when empty; UnableToReadCell when unknown."""
    if not text:
        return None
    code = _CURRENCY_WORDS.get(text.casefold().rstrip("."))
    if code is None:
        raise UnableToReadCell(f"{shown(text)} is no currency here; use {', '.join(CURRENCIES)}")
    return code
