"""How long requests for a page take, and how many queries they make."""

from __future__ import annotations

import gc
import json
import random
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import NoReverseMatch

Ask = Callable[[random.Random], Any]
"""Asks for a page, with values of chance."""
WARM_UP = 3
COUNTED = 10


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


def serve_without_limits() -> None:
    """Settings under which pages can be asked for often, in this process."""
    settings.ALLOWED_HOSTS = ["testserver"]
    # In memory, and emptied before each request: no rate limit bars the one person who asks.
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}


def measured(
    pages: Iterable[tuple[str, Ask]],
    requests: int,
    *,
    explain: bool = False,
    warm_up: int = WARM_UP,
    counted: int = COUNTED,
) -> dict[str, Any]:
    """The figures of every page, in the database that is filled and connected to."""
    figures = {}
    for name, ask in pages:
        if (timed := _timed(name, ask, requests, warm_up, counted)) is not None:
            figures[name] = timed.figures()
            if explain:
                _explain(name, timed)
    return figures


def report(figures: dict[str, Any], *, as_json: bool) -> None:
    """Print a line a page, or all for programs."""
    if as_json:
        print(json.dumps({"pages": figures}))
        return
    for name, page in figures.items():
        varies = "" if page["constant"] else " (varies)"
        print(f"{name:>42}: {page['p95_ms']:7.1f} ms, {page['queries']} queries{varies}")


def _timed(name: str, ask: Ask, requests: int, warm_up: int, counted: int) -> Timed | None:
    """Ask often; None, and a line on standard error, when the page is not there."""
    chance, timed = random.Random(name), Timed()
    try:
        cache.clear()
        answers = [ask(chance) for _ in range(warm_up)]
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
    _count_queries(timed, ask, chance, counted)
    return timed


def _count_queries(timed: Timed, ask: Ask, chance: random.Random, times: int) -> None:
    """Beside the timing, which counting would slow down."""
    for _ in range(times):
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
