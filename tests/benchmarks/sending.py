"""Sending digests: ours against django-post-office and against one `send_mail` after the other.

    pip install -r requirements-benchmarks.txt
    python -m tests.benchmarks.sending --mails 5000 --json

All three hand the very same texts to the same local mail server, which costs nothing and has a
process of its own, as each sender has. What is timed is the whole way from a planned digest to an
accepted mail. Ours composes while it sends; to the others' time the time of composing the same
mails is added (by our composer, which is kind to them: they bring Django's templates along), and
to django-post-office's that of putting them into its queue (`send_many`, in bulk), as ours are
planned into the ledger. `…_only` leave both out, and compare sending finished texts with our whole
way. Ours is timed against a simulated SendGrid too, one request a digest.

One worker each, with batches of BATCH_SIZE: one process of ours, with one line to the server; one
process of django-post-office with the five threads, each with a line of its own, that are its
default, and no log of what was sent. The wall clock of a machine that
others use swings: of each figure the best of `--rounds` counts, everybody's in turn, and
`cpu_ratio_…` compare the processor time of the senders' processes.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import smtplib
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import redis
from django.conf import settings
from django.db import connection

from agents.frequency import Frequency
from agents.runs import run_reports
from notifications.models import Delivery, DispatchLimits
from tests.benchmarks import marketplace_data, scratch

DATABASE = "benchmark_marktlotse_sending"
BATCH_SIZE = 500
"""Of everybody: what django-post-office takes from its queue at a time, and ours too."""


def main() -> None:
    arguments = _arguments()
    if importlib.util.find_spec("post_office") is None:
        sys.exit("django-post-office is missing: pip install -r requirements-benchmarks.txt")
    with scratch.scratch_database(DATABASE), _sink() as port:
        _plan(arguments.mails)
        mails = Delivery.objects.count()
        rounds = [_round(mails, port) for _ in range(arguments.rounds)]
    figures = {"mails": mails, "rounds": arguments.rounds, **_figures(mails, _best(rounds))}
    if arguments.json:
        print(json.dumps(figures))
        return
    for name, figure in figures.items():
        print(f"{name:>30}: {figure}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mails", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.mails < 1 or arguments.rounds < 1:
        parser.error("--mails and --rounds must be at least 1")
    return arguments


def _round(mails: int, port: int) -> dict[str, float]:
    """All senders once, one after the other, each with all mails; how long each of them took."""
    before = _taken(port)
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        texts = _run("sending_texts", [DATABASE, file.name], {})
        ours = _ours({"EMAIL_PROVIDER": "smtp", "EMAIL_PORT": str(port)})
        assert _taken(port) - before == mails == ours["sent"], "The sink did not get every mail."
        with _sendgrid() as url:
            sendgrid = _ours({"EMAIL_PROVIDER": "sendgrid", "SENDGRID_API_HOST": url})
            assert sendgrid["sent"] == mails, "The simulator did not get every mail."
        others = _others(port, file.name)
        assert _taken(port) - before == 3 * mails, "The sink did not get every mail."
    return {
        **texts,
        **others,
        "seconds": ours["seconds"],
        "cpu_seconds": ours["cpu_seconds"],
        "sendgrid_seconds": sendgrid["seconds"],
    }


def _best(rounds: Sequence[dict[str, float]]) -> dict[str, float]:
    """Of each figure the round in which the rest of the machine disturbed it least."""
    return {name: min(each[name] for each in rounds) for name in rounds[0]}


def _plan(mails: int) -> None:
    """Everybody's weekly digest, planned by the planner: a mail a person."""
    now = datetime.now(UTC)
    marketplace_data.fill(marketplace_data.Size(mails, mails * 2, 20_000), now)
    DispatchLimits.objects.update_or_create(
        defaults={"max_mails_per_run": 10_000_000, "batch_size": BATCH_SIZE}
    )
    run_reports(Frequency.WEEKLY, now=now)


def _forget_sending() -> None:
    """As if nobody had sent anything yet."""
    redis.Redis.from_url(settings.REDIS_URL).flushdb()
    Delivery.objects.update(state="pending", attempts=0, provider="", finished_at=None)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE notifications_delivery")


def _ours(environment: dict[str, str]) -> dict[str, Any]:
    _forget_sending()
    return _run("sending_ours", [DATABASE], {**environment, "SENDGRID_API_KEY": "SG.benchmark"})


def _others(port: int, texts: str) -> dict[str, Any]:
    environment = {
        "BENCHMARK_SETTINGS": "tests.benchmarks.sending_settings",
        "BENCHMARK_SMTP_PORT": str(port),
    }
    return _run("sending_others", [DATABASE, texts], environment)


def _run(module: str, arguments: list[str], environment: dict[str, str]) -> dict[str, Any]:
    command = [sys.executable, "-m", f"tests.benchmarks.{module}", *arguments]
    finished = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}
    )
    answer: dict[str, Any] = json.loads(finished.stdout.splitlines()[-1])
    return answer


@contextmanager
def _started(module: str, *arguments: str) -> Iterator[str]:
    """A server in a process of its own; the last word of its first line says where it is."""
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield _where(iter(process.stdout))
        finally:
            process.terminate()
            process.communicate()


def _where(lines: Iterator[str]) -> str:
    return next(line for line in lines if line.split()[-1][-1].isdigit()).split()[-1]


@contextmanager
def _sink() -> Iterator[int]:
    with _started("tests.benchmarks.sending_sink") as port:
        yield int(port)


@contextmanager
def _sendgrid() -> Iterator[str]:
    with _started("tests.providers.sendgrid_simulator", "--port", "0") as url:
        yield url


def _taken(port: int) -> int:
    with smtplib.SMTP("127.0.0.1", port) as line:
        return int(line.noop()[1])


def _figures(mails: int, took: dict[str, float]) -> dict[str, float]:
    composing, queueing = took["composing_seconds"], took["post_office_queueing_seconds"]
    post_office, send_mail = took["post_office_seconds"], took["send_mail_seconds"]
    seconds, cpu = took["seconds"], took["cpu_seconds"]
    composing_cpu = took["composing_cpu_seconds"]
    return {
        "kilobytes_a_mail": round(took["kilobytes"], 1),
        "mails_per_second": round(mails / seconds, 1),
        "ratio_post_office": round((composing + queueing + post_office) / seconds, 2),
        "ratio_send_mail": round((composing + send_mail) / seconds, 2),
        "ratio_post_office_only": round(post_office / seconds, 2),
        "ratio_send_mail_only": round(send_mail / seconds, 2),
        "cpu_ratio_post_office": round((composing_cpu + took["post_office_cpu_seconds"]) / cpu, 2),
        "cpu_ratio_send_mail": round((composing_cpu + took["send_mail_cpu_seconds"]) / cpu, 2),
        "cpu_milliseconds_a_mail": round(cpu / mails * 1000, 3),
        "composing_milliseconds_a_mail": round(composing / mails * 1000, 3),
        "sendgrid_mails_per_second": round(mails / took["sendgrid_seconds"], 1),
        "post_office_mails_per_second": round(mails / (composing + queueing + post_office), 1),
        "post_office_only_mails_per_second": round(mails / post_office, 1),
        "send_mail_mails_per_second": round(mails / (composing + send_mail), 1),
        "send_mail_only_mails_per_second": round(mails / send_mail, 1),
    }


if __name__ == "__main__":
    main()
