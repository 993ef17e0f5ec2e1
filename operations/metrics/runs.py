"""Report runs by tier: when the last one was, how long it took, and what all of them counted.

Only firings of a whole tier: an operator who runs one agent must not hide that a tier stands still.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Min, QuerySet, Sum
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from agents.counters import Counters
from agents.frequency import Frequency
from agents.models import ReportRun

COUNTED = tuple(Counters().as_dict())


def families(now: datetime) -> Iterator[Metric]:
    """Raises DatabaseError without the database. Runs are some 35,000 rows a year."""
    yield from _totals()
    yield from _last_runs()
    yield _unfinished(now)


def _firings() -> QuerySet[ReportRun]:
    return ReportRun.objects.filter(is_for_one_agent=False)


def _totals() -> Iterator[Metric]:
    runs = CounterMetricFamily("marktlotse_runs", "Runs that were started.", labels=["tier"])
    counted = CounterMetricFamily(
        "marktlotse_run_counts",
        "What runs have counted: people due, eligible and deferred, digests, companies.",
        labels=["tier", "counter"],
    )
    sums = {f"sum_{name}": Sum(name) for name in COUNTED}
    rows = _firings().order_by().values("frequency").annotate(runs=Count("pk"), **sums)
    by_tier: dict[str, dict[str, Any]] = {row["frequency"]: dict(row) for row in rows}
    for tier in Frequency.values:
        row = by_tier.get(tier, {})
        runs.add_metric([tier], row.get("runs", 0))
        for name in COUNTED:
            counted.add_metric([tier, name], row.get(f"sum_{name}", 0))
    yield runs
    yield counted


def _last_runs() -> Iterator[Metric]:
    started = GaugeMetricFamily(
        "marktlotse_run_last_start_timestamp_seconds", "Start of the last run.", labels=["tier"]
    )
    taken = GaugeMetricFamily(
        "marktlotse_run_last_duration_seconds",
        "How long the last finished run took.",
        labels=["tier"],
    )
    for tier in Frequency.values:
        runs = _firings().filter(frequency=tier).order_by("-occurrence", "-pk")
        if (last := runs.first()) is not None:
            started.add_metric([tier], last.started_at.timestamp())
        finished = runs.exclude(finished_at=None).annotate(
            length=F("finished_at") - F("started_at")
        )
        length = finished.values_list("length", flat=True).first()
        if length is not None:
            taken.add_metric([tier], length.total_seconds())
    yield started
    yield taken


def _unfinished(now: datetime) -> Metric:
    family = GaugeMetricFamily(
        "marktlotse_run_unfinished_seconds",
        "How long the oldest run that has not ended has been going on; 0 when all have.",
        labels=["tier"],
    )
    open_runs = _firings().filter(finished_at=None).order_by().values("frequency")
    since = dict(open_runs.annotate(since=Min("started_at")).values_list("frequency", "since"))
    for tier in Frequency.values:
        age = (now - since[tier]).total_seconds() if tier in since else 0
        family.add_metric([tier], max(0.0, age))
    return family
