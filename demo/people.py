"""Made-up people with their search agents. Most may get mail; each reason against it occurs."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum

from agents.frequency import Frequency
from demo.names import DOMAINS, FIRST, LAST, address_for
from demo.searches import SearchPlan, any_trade, plan_default_search, plan_searches, search
from listings.criteria import EVERYTHING, Criteria

LANGUAGES = {"de": 55, "hr": 25, "en": 20}
ZONES = {
    "de": ("Europe/Berlin", "Europe/Berlin", "Europe/Vienna", "Europe/Zurich"),
    "hr": ("Europe/Zagreb",),
    "en": ("Europe/London", "Europe/Berlin", "America/New_York"),
}
HOURS = (6, 7, 7, 8, 8, 9, 12, 17, 20)


class Standing(StrEnum):
    """Whether a person may get mail, and if not, why."""

    GOOD = "good"
    UNVERIFIED = "unverified"
    SUSPENDED = "suspended"
    SUSPENDED_FOR_A_WHILE = "suspended_for_a_while"
    INACTIVE = "inactive"
    SPAM_REPORTED = "spam_reported"
    BOUNCED = "bounced"


SHARES = {
    Standing.UNVERIFIED: 0.05,
    Standing.SUSPENDED: 0.01,
    Standing.SUSPENDED_FOR_A_WHILE: 0.01,
    Standing.INACTIVE: 0.02,
    Standing.SPAM_REPORTED: 0.02,
    Standing.BOUNCED: 0.01,
}
# With fewer people than this everybody may get mail.
ENOUGH_FOR_EVERY_STANDING = 20


@dataclass(frozen=True, slots=True)
class PersonPlan:
    """A person as they will be stored, with the default search and further ones."""

    email: str
    name: str
    language: str
    time_zone: str
    mail_hour: int
    mail_weekday: int
    mail_day_of_month: int
    joined_at: datetime
    standing: Standing
    default_search: SearchPlan
    searches: tuple[SearchPlan, ...]


def plan_people(count: int, rng: random.Random, now: datetime) -> list[PersonPlan]:
    """`count` people with different addresses."""
    people: list[PersonPlan] = []
    taken: set[str] = set()
    for standing in _standings(count, rng):
        person = _plan(standing, taken, rng, now)
        taken.add(person.email)
        people.append(person)
    return people


def plan_anna(rng: random.Random, now: datetime) -> PersonPlan:
    """The person to log in as: one search in each tier, and the default one as it was made."""
    return PersonPlan(
        email="anna@example.com",
        name="Anna Lindner",
        language="de",
        time_zone="Europe/Berlin",
        mail_hour=7,
        mail_weekday=0,
        mail_day_of_month=1,
        joined_at=now - timedelta(days=60),
        standing=Standing.GOOD,
        default_search=_first_in_line("", EVERYTHING, Frequency.WEEKLY, rng, now),
        searches=tuple(
            _first_in_line(name, criteria, frequency, rng, now)
            for name, criteria, frequency in ANNAS_SEARCHES
        ),
    )


ANNAS_SEARCHES = (
    ("Neues aus Deutschland", Criteria(regions=("DE",)), Frequency.HOURLY),
    (
        "Handwerk und Bau bis 2 Mio. €",
        Criteria(industries=("C", "F"), regions=("DE", "AT"), price_max=Decimal(2_000_000)),
        Frequency.DAILY,
    ),
    ("Hotels an Adria und Alpen", Criteria(industries=("I55",)), Frequency.WEEKLY),
    ("Software und Beratung", Criteria(industries=("J", "M")), Frequency.MONTHLY),
)


def _first_in_line(
    name: str, criteria: Criteria, frequency: Frequency, rng: random.Random, now: datetime
) -> SearchPlan:
    """Waiting an hour already: the limit of mails per run does not hit Anna first."""
    return search(name, criteria, frequency, rng, now - timedelta(hours=1))


def _standings(count: int, rng: random.Random) -> list[Standing]:
    """Each standing at least once among enough people, in a random order."""
    others: list[Standing] = []
    if count >= ENOUGH_FOR_EVERY_STANDING:
        for standing, share in SHARES.items():
            others += [standing] * max(1, round(count * share))
    standings = [*others, *[Standing.GOOD] * (count - len(others))]
    rng.shuffle(standings)
    return standings


def _plan(standing: Standing, taken: set[str], rng: random.Random, now: datetime) -> PersonPlan:
    [language] = rng.choices(list(LANGUAGES), list(LANGUAGES.values()))
    focus = any_trade(rng)
    name = f"{rng.choice(FIRST[language])} {rng.choice(LAST[language])}"
    return PersonPlan(
        email=_free_address(name, taken, rng),
        name=name,
        language=language,
        time_zone=rng.choice(ZONES[language]),
        mail_hour=rng.choice(HOURS),
        mail_weekday=rng.randrange(5),
        mail_day_of_month=rng.choice((1, 1, 1, 5, 10, 15, 20, 31)),
        joined_at=now - timedelta(days=rng.uniform(31, 700)),
        standing=standing,
        default_search=plan_default_search(focus, language, rng, now),
        searches=tuple(plan_searches(focus, language, rng, now)),
    )


def _free_address(name: str, taken: set[str], rng: random.Random) -> str:
    address = address_for(name, rng.choice(DOMAINS))
    local, _, domain = address.partition("@")
    number = 2
    while address in taken:
        address = f"{local}{number}@{domain}"
        number += 1
    return address
