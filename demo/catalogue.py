"""What companies are made of: trades by NACE division, towns by ISO 3166 subdivision."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"
LANGUAGES = ("de", "en", "hr")


@dataclass(frozen=True, slots=True)
class Trade:
    """A kind of company; `price` is a median in thousands of euros, `staff` a usual head count."""

    industry: str
    weight: float
    price: int
    staff: int
    name: Mapping[str, str]
    """By language."""
    about: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Area:
    """A region with its towns; `weight` says how many companies are offered there."""

    region: str
    weight: float
    towns: tuple[str, ...]

    @property
    def country(self) -> str:
        """ISO 3166-1 code."""
        return self.region.partition("-")[0]


@cache
def trades() -> tuple[Trade, ...]:
    """Every trade of the catalogue."""
    return tuple(
        Trade(
            industry=row["industry"],
            weight=float(row["weight"]),
            price=int(row["price"]),
            staff=int(row["staff"]),
            name={language: row[language] for language in LANGUAGES},
            about={language: row[f"about_{language}"] for language in LANGUAGES},
        )
        for row in _rows("trades.csv")
    )


@cache
def areas() -> tuple[Area, ...]:
    """Every subdivision of the marketplace's countries."""
    return tuple(
        Area(row["region"], float(row["weight"]), tuple(row["towns"].split("|")))
        for row in _rows("towns.csv")
    )


def _rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))
