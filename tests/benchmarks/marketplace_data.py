"""A seeded marketplace of any size, written set-based: the same rows for the same sizes.

Companies were published over the past year, recent weeks busiest; people have one default agent
(weekly, everything) and narrower ones in all four tiers, each last run one period ago.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import islice

from django.db import connection

from agents.frequency import Frequency
from listings.models import Industry, Region
from tests.benchmarks.vocabulary import Zipf

SEED = 20261129
MEAN_AGE_DAYS = 120
PERIODS = {
    Frequency.HOURLY: timedelta(hours=1),
    Frequency.DAILY: timedelta(days=1),
    Frequency.WEEKLY: timedelta(days=7),
    Frequency.MONTHLY: timedelta(days=30),
}
WORDS = (
    "brewery bakery carpentry machinery logistics software dental practice hotel lake "
    "family craft metal laser precision export wholesale retail online solar energy timber "
    "winery printing packaging garage automation consulting cleaning catering textile "
    "pharmacy "
).split()
BATCH = 10_000


@dataclass(frozen=True, slots=True)
class Size:
    """How many of each."""

    users: int
    agents: int
    companies: int


def fill(size: Size, now: datetime, vocabulary: Zipf | None = None) -> None:
    """Write the marketplace; ids count from 1.

    Texts are of a few common words, or of a `vocabulary`, and then as long as people write them.
    """
    generator = random.Random(SEED)
    text = FewWords() if vocabulary is None else ManyWords(vocabulary)
    for table, columns, rows in (
        ("listings_company", COMPANY_COLUMNS, _companies(size, now, generator, text)),
        ("marketplace_user", USER_COLUMNS, _users(size, now)),
        ("account_emailaddress", ADDRESS_COLUMNS, _addresses(size)),
        ("agents_scheduledmailreport", AGENT_COLUMNS, _agents(size, now, generator, text)),
    ):
        _write(table, columns, rows)
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), "  # noqa: S608
                f"COALESCE((SELECT max(id) FROM {table}), 1))"
            )
            cursor.execute(f"VACUUM ANALYZE {table}")


def _write(table: str, columns: dict[str, str], rows: Iterator[tuple[object, ...]]) -> None:
    names = ", ".join(f'"{name}"' for name in columns)
    # Arrays travel as text: unnest would take them apart.
    arrays = ", ".join(f"%s::{_travelling(kind)}[]" for kind in columns.values())
    values = ", ".join(f'"{name}"::{kind}' for name, kind in columns.items())
    sql = f"INSERT INTO {table} ({names}) SELECT {values} FROM unnest({arrays}) AS row ({names})"  # noqa: S608
    with connection.cursor() as cursor:
        while batch := list(islice(rows, BATCH)):
            cursor.execute(sql, [list(column) for column in zip(*batch, strict=True)])


def _travelling(kind: str) -> str:
    return "text" if kind.endswith("[]") else kind


COMPANY_COLUMNS = {
    "id": "bigint", "title": "text", "description": "text", "industry_id": "text",
    "region_id": "text", "price": "numeric", "currency": "text", "price_eur": "numeric",
    "status": "text", "published_at": "timestamptz", "fresh_at": "timestamptz",
    "fresh_reason": "text", "source": "text", "external_id": "text",
    "created_at": "timestamptz", "updated_at": "timestamptz",
}  # fmt: skip


class FewWords:
    """Titles, descriptions and keywords of the 32 words."""

    def company(self, generator: random.Random) -> tuple[str, str]:
        words = generator.choices(WORDS, k=14)
        return " ".join(words[:3]), " ".join(words)

    def keyword(self, generator: random.Random) -> str:
        return generator.choice(WORDS)


class ManyWords(FewWords):
    """The same of a vocabulary."""

    def __init__(self, vocabulary: Zipf) -> None:
        self._vocabulary = vocabulary

    def company(self, generator: random.Random) -> tuple[str, str]:
        words = self._vocabulary.draw(generator, generator.randint(25, 60))
        return " ".join(words[:5]), " ".join(words)

    def keyword(self, generator: random.Random) -> str:
        return self._vocabulary.draw(generator, 1)[0]


def _companies(
    size: Size, now: datetime, generator: random.Random, text: FewWords
) -> Iterator[tuple]:
    industries, regions = _codes(Industry), _codes(Region)
    for number in range(1, size.companies + 1):
        age = min(generator.expovariate(1 / MEAN_AGE_DAYS), 365)
        at = now - timedelta(days=age, seconds=1)
        price = None if generator.random() < 0.1 else Decimal(generator.randrange(20, 5000) * 1000)
        title, description = text.company(generator)
        yield (
            number, title, description, generator.choice(industries),
            generator.choice(regions), price, "EUR", price, "published", at, at, "published",
            "benchmark", str(number), at, at,
        )  # fmt: skip


USER_COLUMNS = {
    "id": "bigint", "password": "text", "is_superuser": "boolean", "email": "text",
    "name": "text", "language": "text", "time_zone": "text", "mail_hour": "smallint",
    "mail_weekday": "smallint", "mail_day_of_month": "smallint", "is_active": "boolean",
    "is_staff": "boolean", "date_joined": "timestamptz",
}  # fmt: skip


def _users(size: Size, now: datetime) -> Iterator[tuple]:
    for number in range(1, size.users + 1):
        yield (
            number, "!", False, f"person{number}@example.com", f"Person {number}",
            ("en", "de", "hr")[number % 3], "Europe/Berlin", number % 24, number % 7,
            number % 28 + 1, True, False, now,
        )  # fmt: skip


ADDRESS_COLUMNS = {
    "id": "bigint", "user_id": "bigint", "email": "text", "verified": "boolean",
    "primary": "boolean",
}  # fmt: skip


def _addresses(size: Size) -> Iterator[tuple]:
    for number in range(1, size.users + 1):
        yield number, number, f"person{number}@example.com", True, True


AGENT_COLUMNS = {
    "id": "bigint", "user_id": "bigint", "name": "text", "industries": "varchar[]",
    "regions": "varchar[]", "price_min": "numeric", "price_max": "numeric", "keywords": "text",
    "include_on_request": "boolean", "frequency": "text", "is_active": "boolean",
    "is_default": "boolean", "watching_since": "timestamptz", "matched_until": "timestamptz",
    "former_criteria": "jsonb", "last_run_at": "timestamptz", "next_run_at": "timestamptz",
    "last_outcome": "text", "last_reason": "text", "created_at": "timestamptz",
}  # fmt: skip
TIERS = tuple(PERIODS)


def _agents(size: Size, now: datetime, generator: random.Random, text: FewWords) -> Iterator[tuple]:
    industries, regions = _codes(Industry), _codes(Region)
    for number in range(1, size.agents + 1):
        user = (number - 1) % size.users + 1
        is_default = number <= size.users
        tier = Frequency.WEEKLY if is_default else generator.choice(TIERS)
        last = now - PERIODS[tier]
        low = generator.randrange(0, 20) * 100_000
        has_range = not is_default and generator.random() < 0.7
        yield (
            number, user, f"Search {number}",
            "{}" if is_default else _array(generator.sample(industries, generator.randint(1, 6))),
            "{}" if is_default else _array(generator.sample(regions, generator.randint(1, 8))),
            low if has_range else None, low + 1_500_000 if has_range else None,
            "" if is_default or generator.random() < 0.8 else text.keyword(generator),
            True, tier.value, True, is_default, last, last, "[]", last, now, "new", "", last,
        )  # fmt: skip


def _codes(model: type[Industry] | type[Region]) -> list[str]:
    return list(model.objects.filter(parent__isnull=False).values_list("code", flat=True))


def _array(codes: list[str]) -> str:
    return "{" + ",".join(codes) + "}"
