"""Digits with separators, whatever the country of their writer.

The rules, in this order:

1. Blanks and apostrophes only ever group digits. Where dots and commas both occur, the last one
   is the decimal sign. A sign that occurs twice groups. Groups have three digits.
2. A single dot or comma is the decimal sign, unless exactly three digits follow it: those it
   groups, for no price has three decimals. In millions ("1.125 Mio.") decimals may be three,
   so there it is always the decimal sign.
3. Where other numbers of the file prove that very sign to be its decimal sign, nobody can say
   whether 95,000 means 95 or 95000: the number is refused rather than guessed.
"""

from __future__ import annotations

import re
from decimal import Decimal

from listings.feeds.problems import UnableToReadCell, shown

_ALWAYS_GROUPS = re.compile("['’‘`´ ]")
_UNCLEAR = re.compile(r"[1-9][0-9]{0,2}[.,][0-9]{3}")
_GROUPED = re.compile(r"[0-9]{1,3}(?:(?P<mark>[.,'’‘`´ ])[0-9]{3})(?:(?P=mark)[0-9]{3})*|[0-9]+")


def read_amount(number: str, decimal_sign: str | None, in_millions: bool) -> Decimal:
    """The number's value; `decimal_sign` is what the file's other numbers prove, if anything.

    Raises UnableToReadCell when the groups do not have three digits or the value is unclear.
    """
    sign = "" if _is_unclear(number) and not in_millions else _decimal_sign(number)
    if _is_unclear(number) and not in_millions and decimal_sign and decimal_sign in number:
        whole, decimals = re.split("[.,]", number)
        raise UnableToReadCell(
            f"{shown(number)} is unclear: other prices of this file use “{decimal_sign}” for "
            f"decimals. Write {whole},{decimals[:2]} or {whole}{decimals}"
        )
    whole, _, decimals = number.rpartition(sign) if sign else (number, "", "")
    grouped = _GROUPED.fullmatch(whole)
    mark = grouped["mark"] if grouped else None
    # Three digits behind the sign of a grouped number are a group with the wrong mark.
    if grouped is None or (mark and (mark == sign or (len(decimals) == 3 and not in_millions))):
        raise UnableToReadCell(f"{shown(number)} is not grouped in thousands")
    digits = re.sub("[^0-9]", "", whole)
    return Decimal(f"{digits}.{decimals or 0}")


def proven_decimal_sign(number: str, in_millions: bool) -> str | None:
    """`.` or `,` when this number alone proves which one its writer uses for decimals."""
    if _is_unclear(number) and not in_millions:
        return None
    if sign := _decimal_sign(number):
        return sign
    marks = set(re.findall("[.,]", number))
    return {".": ",", ",": "."}[marks.pop()] if len(marks) == 1 else None


def _is_unclear(number: str) -> bool:
    return _UNCLEAR.fullmatch(number) is not None


def _decimal_sign(number: str) -> str:
    """The sign before the decimals; empty when the number has none."""
    dots, commas = number.count("."), number.count(",")
    last = max(".,", key=number.rfind)
    return last if number.count(last) == 1 and (dots or commas) else ""
