"""Which pages the benchmark asks for, each time with other values."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from django.test import Client
from django.urls import reverse
from django.utils.http import urlencode

from agents.models import ScheduledMailReport
from listings.models import Company, Industry, Region
from marketplace.models import User
from tests.benchmarks.vocabulary import words

NO_WORD = "xyzzyplugh"
Ask = Callable[[random.Random], Any]


def every_page() -> list[tuple[str, Ask]]:
    """Every page by name, and how to ask for it with values of chance."""
    guest, person = Client(), Client()
    person.force_login(_somebody())
    vocabulary = words()
    industries, regions = _codes(Industry, False), _codes(Region, False)
    sections, countries = _codes(Industry, True), _codes(Region, True)
    ids = list(Company.objects.order_by("?").values_list("pk", flat=True)[:500])

    def search(**values: Callable[[random.Random], Any]) -> Ask:
        return lambda chance: guest.get(
            "/companies/?"
            + urlencode({name: value(chance) for name, value in values.items()}, doseq=True)
        )

    def some(choices: list[Any]) -> Callable[[random.Random], Any]:
        return lambda chance: chance.choice(choices)

    def always(value: Any) -> Callable[[random.Random], Any]:
        return lambda chance: value

    price = some([number * 10_000 for number in range(5, 200)])
    return [
        ("search", search()),
        ("search by industry", search(industries=some(industries))),
        ("search by section", search(industries=some(sections))),
        ("search by region", search(regions=some(regions))),
        ("search by country", search(regions=some(countries))),
        (
            "search by industry and region",
            search(industries=some(industries), regions=some(regions)),
        ),
        ("search by price", search(price_max=price)),
        (
            "search by narrow price",
            search(
                price_min=always(1_000_000), price_max=always(1_001_000), priced_only=always("on")
            ),
        ),
        ("search common keyword", search(keywords=some(vocabulary[:20]))),
        ("search middling keyword", search(keywords=some(vocabulary[200:600]))),
        ("search rare keyword", search(keywords=some(vocabulary[-2000:]))),
        ("search no such keyword", search(keywords=always(NO_WORD))),
        (
            "search two keywords",
            search(keywords=lambda chance: " ".join(chance.sample(vocabulary[:400], 2))),
        ),
        (
            "search everything at once",
            search(
                industries=some(sections), regions=some(countries), price_max=price,
                keywords=some(vocabulary[:400]), sort=some(["newest", "price"]),
            ),
        ),
        ("search deep page", search(after=some(_deep_cursors()))),
        (
            "search deep page by price",
            search(sort=always("price"), after=some([f"{n * 10**7}-1" for n in range(2, 45)])),
        ),
        ("search sorted by price", search(sort=some(["price", "price-down"]))),
        (
            "search by section sorted by price",
            search(sort=some(["price", "price-down"]), industries=some(sections)),
        ),
        (
            "search middling keyword sorted by price",
            search(sort=always("price"), keywords=some(vocabulary[200:600])),
        ),
        ("company", lambda chance: guest.get(f"/companies/{chance.choice(ids)}/")),
        ("home", lambda chance: guest.get("/")),
        ("my companies", _named(person, "listings:mine")),
        ("agents", _named(person, "agents:list")),
        (
            "preview",
            _named(
                person, "agents:preview",
                lambda chance: {
                    "name": "x", "frequency": "weekly", "industries": chance.choice(sections),
                    "regions": chance.choice(countries), "price_max": price(chance),
                },
            ),
        ),
        (
            "preview of everything",
            _named(person, "agents:preview", lambda chance: {"name": "x", "frequency": "weekly"}),
        ),
        (
            "preview of a keyword",
            _named(
                person, "agents:preview",
                lambda chance: {
                    "name": "x", "frequency": "weekly", "keywords": chance.choice(vocabulary[:600])
                },
            ),
        ),
    ]  # fmt: skip


def _named(
    client: Client, name: str, data: Callable[[random.Random], dict[str, Any]] | None = None
) -> Ask:
    """The page of this name; with `data` a form is sent, as htmx does."""

    def ask(chance: random.Random) -> Any:
        url = reverse(name)
        if data is None:
            return client.get(url)
        return client.post(url, data(chance), headers={"HX-Request": "true"})

    return ask


def _somebody() -> User:
    """The person with most agents."""
    user = ScheduledMailReport.objects.order_by("-pk").first()
    assert user is not None
    return User.objects.get(pk=user.user_id)


def _codes(model: type[Industry] | type[Region], is_top: bool) -> list[str]:
    return list(model.objects.filter(parent__isnull=is_top).values_list("code", flat=True))


def _deep_cursors() -> list[str]:
    """Places all over the order by news."""
    rows = Company.objects.order_by("?").values_list("fresh_at", "pk")[:200]
    return [f"{int(at.timestamp() * 1e6)}-{pk}" for at, pk in rows if at]
