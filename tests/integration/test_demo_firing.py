"""Having beat fire the tiers for the demonstration, and what keeps the demonstration harmless."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import psycopg2
import pytest
from django.db import connection
from django.utils import timezone
from django_celery_beat.models import ClockedSchedule, PeriodicTask
from pytest_django import Settings
from rich.console import Console

from agents.models import ReportRun
from demo.alone import LOCK_KEY, alone
from demo.children import Children
from demo.demonstration import DemoOptions, demonstrate
from demo.errors import UnableToRunDemo
from demo.firing import firing
from demo.generator import SEED, Size
from demo.site import DEFAULT_PORT, choose_port
from demo.tally import TierTally, totals
from tests.factories import AgentFactory
from tests.firing import fire


@pytest.fixture
def _own_signals() -> Iterator[None]:
    """Leaving `Children` ignores signals; the other tests need theirs."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


def options(tmp_path: Path) -> DemoOptions:
    return DemoOptions(Size(20, 5), SEED, once=True, port=None, logs=tmp_path, patience=5)


@pytest.mark.django_db
def test_beat_is_asked_for_each_tier_once_beside_the_regular_schedule() -> None:
    regular = set(PeriodicTask.objects.values_list("name", "enabled"))
    AgentFactory(frequency="daily")
    now = timezone.now()
    with firing(now) as asked:
        entries = PeriodicTask.objects.filter(name__startswith="Demonstration: ")
        assert sorted(entries.values_list("task", flat=True)) == [
            "agents.tasks.report_daily",
            "agents.tasks.report_hourly",
            "agents.tasks.report_monthly",
            "agents.tasks.report_weekly",
        ]
        assert all(entry.one_off and entry.clocked.clocked_time == now for entry in entries)
        assert asked.at == now
        assert asked.people_due == {"hourly": 0, "daily": 1, "weekly": 0, "monthly": 0}
    assert set(PeriodicTask.objects.values_list("name", "enabled")) == regular
    assert not ClockedSchedule.objects.exists()


@pytest.mark.django_db
def test_a_firing_waits_for_the_next_minute_when_this_one_has_had_its_run() -> None:
    now = timezone.now().replace(second=20, microsecond=0)
    minute = now.replace(second=0)
    ReportRun.objects.create(
        frequency="weekly", occurrence=minute, cutoff=minute, started_at=minute, finished_at=now
    )
    with firing(now) as asked:
        assert asked.at == minute + timedelta(minutes=1)


@pytest.mark.django_db
def test_entries_of_a_killed_demonstration_are_cleaned_up_by_the_next() -> None:
    abandoned = firing(timezone.now())
    abandoned.__enter__()
    with firing(timezone.now()):
        assert PeriodicTask.objects.filter(name__startswith="Demonstration: ").count() == 4
        assert ClockedSchedule.objects.count() == 1
    assert not PeriodicTask.objects.filter(name__startswith="Demonstration: ").exists()
    abandoned.__exit__(None, None, None)


@pytest.mark.django_db
def test_runs_of_earlier_firings_do_not_count() -> None:
    AgentFactory(frequency="daily")
    run = fire("daily")
    with firing(timezone.now()) as asked:
        assert asked.last_run_id == run.pk


def test_a_deferred_person_counts_once_and_unsent_mails_are_no_sent_ones() -> None:
    tier = TierTally(people_due=3, mails={"sent": 2, "dead": 1, "cancelled": 1, "pending": 1})
    tier.counters.duplicates, tier.counters.deferred, tier.listings_sent = 4, 1, 7
    assert (tier.sent, tier.unsent, tier.open, tier.is_done) == (2, 2, 1, False)
    assert totals({"daily": tier}) == {
        "mails_sent": 2,
        "listings_reported": 7,
        "duplicates_prevented": 4,
        "deferred": 1,
    }


@pytest.mark.django_db
def test_a_second_demonstration_on_the_same_database_says_so() -> None:
    settings = connection.settings_dict
    other = psycopg2.connect(
        host=settings["HOST"],
        port=settings["PORT"],
        user=settings["USER"],
        password=settings["PASSWORD"],
        dbname=settings["NAME"],
    )
    try:
        other.cursor().execute("SELECT pg_advisory_lock(%s)", [LOCK_KEY])
        with pytest.raises(UnableToRunDemo, match="Another demonstration"), alone():
            pass
        other.cursor().execute("SELECT pg_advisory_unlock(%s)", [LOCK_KEY])
    finally:
        other.close()
    with alone():
        pass


def test_it_does_not_run_in_production(settings: Settings, tmp_path: Path) -> None:
    settings.IS_PRODUCTION = True
    with pytest.raises(UnableToRunDemo, match="not run in production"):
        demonstrate(options(tmp_path), Console(), Console(stderr=True))


def test_it_does_not_bother_a_real_provider(settings: Settings, tmp_path: Path) -> None:
    settings.EMAIL_PROVIDER = "sendgrid"
    settings.SENDGRID_API_HOST = "https://api.sendgrid.com"
    with pytest.raises(UnableToRunDemo, match="EMAIL_PROVIDER is sendgrid"):
        demonstrate(options(tmp_path), Console(), Console(stderr=True))


@pytest.mark.parametrize(
    ("variable", "url", "message"),
    [
        ("DATABASE_URL", "postgres://nobody@127.0.0.1:1/nothing", "The database cannot be used"),
        ("REDIS_URL", "redis://127.0.0.1:1/0", "The broker redis://"),
    ],
)
def test_a_server_that_does_not_answer_is_named_at_once(
    settings: Settings, variable: str, url: str, message: str
) -> None:
    database = "postgres://{USER}:{PASSWORD}@{HOST}:{PORT}/{NAME}".format(
        **connection.settings_dict
    )
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": database,
        "REDIS_URL": settings.REDIS_URL,
        "CELERY_BROKER_URL": "",
        variable: url,
    }
    finished = subprocess.run(
        [sys.executable, "manage.py", "demo", "--once"],
        cwd=settings.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert finished.returncode == 1
    assert finished.stderr.startswith(f"CommandError: {message}")
    assert finished.stdout == ""


def test_a_port_that_was_asked_for_and_is_taken_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UnableToRunDemo, match=f"Port {port} is taken"):
            choose_port(port)


def test_without_a_wish_the_next_free_port_is_taken() -> None:
    with socket.socket() as taken:
        first = choose_port(None)
        # As servers do: connections of before that linger are no obstacle.
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", first))
        taken.listen()
        assert DEFAULT_PORT <= first < choose_port(None)


@pytest.mark.usefixtures("_own_signals")
def test_a_child_that_ends_by_itself_is_reported_with_the_end_of_its_log(tmp_path: Path) -> None:
    with Children(tmp_path, {}) as children:
        child = children.start("worker", ("-c", "print('out of memory'); raise SystemExit(3)"))
        child.process.wait()
        with pytest.raises(UnableToRunDemo, match=r"The worker ended \(exit code 3\)") as caught:
            children.check()
    assert "out of memory" in str(caught.value)
    assert str(tmp_path / "worker.log") in str(caught.value)


@pytest.mark.usefixtures("_own_signals")
def test_children_finish_what_they_have_in_hand(tmp_path: Path) -> None:
    code = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: (print('finished'), sys.exit(0)))\n"
        "print('ready')\n"
        "time.sleep(60)\n"
    )
    with Children(tmp_path, {}) as children:
        child = children.start("worker", ("-c", code))
        wait_for_text(child.log, "ready")
    assert child.process.returncode == 0
    assert child.log.read_text().splitlines() == ["ready", "finished"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's end")
def test_children_end_even_when_the_parent_is_killed(tmp_path: Path) -> None:
    child = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    parent = (
        "import time, pathlib, django\n"
        "django.setup()\n"
        "from demo.children import Children\n"
        f"Children(pathlib.Path({str(tmp_path)!r}), {{}}).start('worker', ('-c', {child!r}))\n"
        "time.sleep(60)\n"
    )
    log = tmp_path / "worker.log"
    process = subprocess.Popen([sys.executable, "-c", parent])
    try:
        wait_for_text(log, "\n")
    finally:
        process.kill()
        process.wait()
    child_id = int(log.read_text())
    deadline = time.monotonic() + 10
    while is_running(child_id):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def wait_for_text(log: Path, text: str) -> None:
    deadline = time.monotonic() + 30
    while not (log.exists() and text in log.read_text()):
        assert time.monotonic() < deadline, log
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    """Whether the process lives; one that only waits to be buried does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
