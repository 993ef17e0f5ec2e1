"""Planning all four tiers: our planner against the documents' loop, same data, same database.

    python -m tests.benchmarks.reports --users 4000 --agents 20000 --companies 50000 --json

The planner runs in a process of its own, so that its peak memory is its own, and `--rounds` times
from the same start: the middle time counts, because a moment's disturbance that the minutes of the
loop average out could double the planner's seconds. Above
`--naive-sample` agents the loop runs over a sample and its time is scaled up; the output says so.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from django.db import DatabaseError, connection

from agents.frequency import Frequency
from agents.models import DigestSection, ReportedCompany, ReportRun, ScheduledMailReport
from agents.runs import run_reports
from notifications.models import Delivery, DispatchLimits
from tests.benchmarks import marketplace_data, naive_loop, scratch

DATABASE = "benchmark_marktlotse_reports"
BEFORE = "benchmark_agents_before"


def main() -> None:
    arguments = _arguments()
    if arguments.planner:
        print(json.dumps(_planner(datetime.fromisoformat(arguments.planner))))
        return
    now = datetime.now(UTC)
    with scratch.scratch_database(DATABASE):
        size = marketplace_data.Size(arguments.users, arguments.agents, arguments.companies)
        marketplace_data.fill(size, now)
        DispatchLimits.objects.update_or_create(defaults={"max_mails_per_run": 10_000_000})
        _execute(f"CREATE TABLE {BEFORE} AS TABLE agents_scheduledmailreport")
        naive = _naive(now, arguments.naive_sample)
        rounds = [_planner_in_own_process(now) for _ in range(arguments.rounds)]
    ours = sorted(rounds, key=lambda figures: figures["seconds"])[len(rounds) // 2]
    ours["seconds_of_rounds"] = [round(figures["seconds"], 3) for figures in rounds]
    _report({**vars(arguments), **ours, **naive}, as_json=arguments.json)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=size_argument, default=4000)
    parser.add_argument("--agents", type=size_argument, default=20_000)
    parser.add_argument("--companies", type=size_argument, default=50_000)
    parser.add_argument("--naive-sample", type=size_argument, default=20_000)
    parser.add_argument("--rounds", type=size_argument, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--planner", help=argparse.SUPPRESS)
    return parser.parse_args()


def size_argument(text: str) -> int:
    if not (text.isdecimal() and int(text) >= 1):
        raise argparse.ArgumentTypeError("must be a whole number, at least 1")
    return int(text)


def _naive(now: datetime, sample_size: int) -> dict[str, Any]:
    """Time the loop over all agents, or over a sample of them."""
    ids = list(ScheduledMailReport.objects.order_by("pk").values_list("pk", flat=True))
    is_sample = len(ids) > sample_size
    only = random.Random(1).sample(ids, sample_size) if is_sample else None
    max_companies = DispatchLimits.current().max_companies
    started, mails = time.perf_counter(), 0
    for frequency in Frequency:
        mails += naive_loop.send_scheduled_reports(frequency, now, max_companies, only)[0]
    seconds = time.perf_counter() - started
    scale = len(ids) / sample_size if is_sample else 1.0
    return {
        "naive_seconds": seconds * scale,
        "naive_mails": round(mails * scale),
        "naive_is_scaled_from_agents": sample_size if is_sample else None,
    }


def _forget_everything() -> None:
    """Put the agents back to where they stood before anybody planned, and write the pages out."""
    tables = "agents_scheduledmailreport, notifications_delivery, agents_reportrun"
    _execute(f"TRUNCATE {tables} CASCADE")
    _execute(f"INSERT INTO agents_scheduledmailreport TABLE {BEFORE}")
    _execute("VACUUM ANALYZE")
    with suppress(DatabaseError):  # not everybody may; then the server does it in its own time
        _execute("CHECKPOINT")


def _execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def _planner_in_own_process(now: datetime) -> dict[str, Any]:
    _forget_everything()
    command = [sys.executable, "-m", "tests.benchmarks.reports", "--planner", now.isoformat()]
    finished = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    answer: dict[str, Any] = json.loads(finished.stdout.splitlines()[-1])
    return answer


def _planner(now: datetime) -> dict[str, Any]:
    """Plan all four tiers; this process does nothing else."""
    scratch.connect_to(DATABASE)
    started = time.perf_counter()
    tiers = {}
    for frequency in Frequency:
        tier_started = time.perf_counter()
        run_reports(frequency, now=now)
        tiers[frequency.value] = round(time.perf_counter() - tier_started, 3)
    seconds = time.perf_counter() - started
    # Linux counts KiB, macOS bytes.
    unit = 1024 if sys.platform == "darwin" else 1
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    tables = (Delivery, DigestSection, ReportedCompany, ReportRun)
    return {
        "seconds": seconds,
        "seconds_by_tier": tiers,
        "mails": Delivery.objects.count(),
        "rows": sum(table.objects.count() for table in tables)
        + ScheduledMailReport.objects.exclude(last_outcome="new").count(),
        "peak_mb": round(peak_kib / 1024, 1),
    }


def _report(figures: dict[str, Any], *, as_json: bool) -> None:
    for internal in ("planner", "json", "naive_sample", "rounds"):
        figures.pop(internal)
    figures["speedup"] = round(figures["naive_seconds"] / figures["seconds"], 1)
    figures["seconds"] = round(figures["seconds"], 3)
    figures["naive_seconds"] = round(figures["naive_seconds"], 3)
    figures["microseconds_per_agent"] = round(figures["seconds"] / figures["agents"] * 1e6, 1)
    if as_json:
        print(json.dumps(figures))
        return
    for name, figure in figures.items():
        print(f"{name:>28}: {figure}")


if __name__ == "__main__":
    main()
