"""How long pages take in a filled marketplace: the 95th percentile, and how many queries.

    python -m tests.benchmarks.pages --companies 200000 --agents 20000 --json

prints `{"pages": {NAME: {"p95_ms": …, "queries": …}}}`. A page is asked for with a different
filter each time, through every middleware, without a web server. `queries` is the most that any
of the requests made; `constant` says whether all made as many. Pages that do not exist, or do not
answer 200, are named on standard error and left out. `--explain` shows the slowest query of each.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from statistics import median, quantiles
from typing import Any

from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import NoReverseMatch, reverse
from django.utils.http import urlencode

from agents.models import ScheduledMailReport
from listings.models import Company, Industry, Region
from marketplace.models import User
from tests.benchmarks import marketplace_data, scratch
from tests.benchmarks.reports import size_argument
from tests.benchmarks.vocabulary import Zipf, words

DATABASE = "benchmark_marktlotse_pages"
AGENTS_A_PERSON = 5
WARM_UP = 3
NO_WORD = "xyzzyplugh"


@dataclass(slots=True)
class Timed:
    """What the requests for one page took."""

    seconds: list[float] = field(default_factory=list)
    queries: list[int] = field(default_factory=list)
    slowest: str = ""
    slowest_seconds: float = 0.0

    def figures(self) -> dict[str, Any]:
        return {
            "p95_ms": round(quantiles(self.seconds, n=20)[-1] * 1000, 1),
            "median_ms": round(median(self.seconds) * 1000, 1),
            "queries": max(self.queries),
            "constant": len(set(self.queries)) == 1,
        }


Ask = Callable[[random.Random], Any]


def main() -> None:
    arguments = _arguments()
    settings.ALLOWED_HOSTS = ["testserver"]
    people = max(arguments.agents // AGENTS_A_PERSON, 1)
    size = marketplace_data.Size(people, arguments.agents, arguments.companies)
    with scratch.scratch_database(DATABASE):
        marketplace_data.fill(size, datetime.now(UTC), Zipf(words()))
        connection.cursor().execute("VACUUM ANALYZE")
        figures = measured(arguments.requests, explain=arguments.explain)
    _report(figures, as_json=arguments.json)


def measured(requests: int, *, explain: bool = False) -> dict[str, Any]:
    """The figures of every page, in the database that is filled and connected to."""
    figures = {}
    for name, ask in _pages():
        if (timed := _timed(name, ask, requests)) is not None:
            figures[name] = timed.figures()
            if explain:
                _explain(name, timed)
    return figures


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--companies", type=size_argument, default=200_000)
    parser.add_argument("--agents", type=size_argument, default=20_000)
    parser.add_argument("--requests", type=size_argument, default=40, help="a page")
    parser.add_argument("--explain", action="store_true")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _pages() -> list[tuple[str, Ask]]:
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


def _timed(name: str, ask: Ask, requests: int) -> Timed | None:
    """Ask often; None, and a line on standard error, when the page is not there."""
    chance, timed = random.Random(name), Timed()
    try:
        answers = [ask(chance) for _ in range(WARM_UP)]
    except NoReverseMatch as error:
        print(f"SKIPPED {name}: {error}", file=sys.stderr)
        return None
    if bad := {answer.status_code for answer in answers} - {200}:
        print(f"SKIPPED {name}: answers {sorted(bad)}", file=sys.stderr)
        return None
    gc.collect()
    for _ in range(requests):
        started = time.perf_counter()
        answer = ask(chance)
        timed.seconds.append(time.perf_counter() - started)
        if answer.status_code != 200:
            print(f"SKIPPED {name}: answers {answer.status_code}", file=sys.stderr)
            return None
    _count_queries(timed, ask, chance)
    return timed


def _count_queries(timed: Timed, ask: Ask, chance: random.Random) -> None:
    """Beside the timing, which counting would slow down."""
    for _ in range(10):
        with CaptureQueriesContext(connection) as captured:
            ask(chance)
        timed.queries.append(len(captured))
        for query in captured.captured_queries:
            if float(query["time"]) > timed.slowest_seconds:
                timed.slowest, timed.slowest_seconds = query["sql"], float(query["time"])


def _explain(name: str, timed: Timed) -> None:
    print(f"\n=== {name}: {timed.slowest_seconds * 1000:.0f} ms\n{timed.slowest}", file=sys.stderr)
    if timed.slowest.startswith("SELECT"):
        with connection.cursor() as cursor:
            cursor.execute("EXPLAIN (ANALYZE, BUFFERS) " + timed.slowest.replace("%", "%%"), [])
            print("\n".join(row[0] for row in cursor.fetchall()), file=sys.stderr)


def _report(figures: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"pages": figures}))
        return
    for name, page in figures.items():
        varies = "" if page["constant"] else " (varies)"
        print(f"{name:>42}: {page['p95_ms']:7.1f} ms, {page['queries']} queries{varies}")


if __name__ == "__main__":
    main()
