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
from dataclasses import dataclass, field
from datetime import UTC, datetime
from statistics import median, quantiles
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import NoReverseMatch

from tests.benchmarks import marketplace_data, scratch
from tests.benchmarks.page_requests import Ask, every_page
from tests.benchmarks.reports import size_argument
from tests.benchmarks.vocabulary import Zipf, words

DATABASE = "benchmark_marktlotse_pages"
AGENTS_A_PERSON = 5
WARM_UP = 3


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


def main() -> None:
    arguments = _arguments()
    settings.ALLOWED_HOSTS = ["testserver"]
    # In memory, and emptied before each request: no rate limit bars the one person who asks.
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
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
    for name, ask in every_page():
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


def _timed(name: str, ask: Ask, requests: int) -> Timed | None:
    """Ask often; None, and a line on standard error, when the page is not there."""
    chance, timed = random.Random(name), Timed()
    try:
        cache.clear()
        answers = [ask(chance) for _ in range(WARM_UP)]
    except NoReverseMatch as error:
        print(f"SKIPPED {name}: {error}", file=sys.stderr)
        return None
    if bad := {answer.status_code for answer in answers} - {200}:
        print(f"SKIPPED {name}: answers {sorted(bad)}", file=sys.stderr)
        return None
    gc.collect()
    for _ in range(requests):
        cache.clear()
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
        cache.clear()
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
