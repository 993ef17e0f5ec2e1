"""Who counts as stuck, and who does not, by the signs of life that workers and beat write."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import timedelta

import pytest
from django.utils import timezone
from django_celery_beat.models import PeriodicTask
from redis import Redis

from config.celery import app
from operations import pulse, tasks
from operations.beat_pulse import PulsingScheduler
from operations.checks import NAMES, Check, health, run_checks
from operations.pulse import WorkerSigns
from operations.queue_lag import queue_names

NOW = timezone.now()
CLOCK = NOW.timestamp()
WELL = Check("workers", True, "All queues are served, by 1 worker.", "")


@pytest.fixture
def redis() -> Iterator[Redis]:
    """Without signs of anybody's life, and with empty queues."""
    server = pulse.server()
    server.flushdb()
    yield server
    server.flushdb()


def signs(**changes: object) -> WorkerSigns:
    """A worker of another machine that serves all queues and does nothing now."""
    worker = WorkerSigns(
        name="celery@other", machine="other", pid=7, written_at=CLOCK - 3, queues=queue_names(),
        places=2, busy=0, held=0, oldest_at=0, started_at=CLOCK - 20, is_alone=False,
    )  # fmt: skip
    return replace(worker, **changes)  # type: ignore[arg-type]


def look() -> Check:
    [check] = run_checks(now=NOW, only=["workers"])
    return check


def put_pulse(queue: str, seconds_ago: float) -> None:
    assert pulse.queues_without_pulse(pulse.server(), [queue], CLOCK - seconds_ago) == [queue]
    app.send_task("operations.tasks.pulse", kwargs={"queue": queue}, queue=queue)


def test_a_worker_that_has_written_lately_is_well(redis: Redis) -> None:
    pulse.write_worker(redis, signs(written_at=CLOCK - 30))
    assert look() == WELL


def test_a_worker_that_is_silent_for_longer_is_named(redis: Redis) -> None:
    pulse.write_worker(redis, signs(written_at=CLOCK - 31))
    assert look().message == (
        "The worker celery@other (process 7) has given no sign of life for 31 seconds: it is "
        "frozen, or it was killed."
    )


def test_one_that_can_do_nothing_beside_its_task_may_be_silent_as_long_as_a_task(
    redis: Redis,
) -> None:
    pulse.write_worker(redis, signs(written_at=CLOCK - 800, is_alone=True))
    assert look() == WELL


def test_long_tasks_in_all_places_are_no_fault_although_pulses_wait(redis: Redis) -> None:
    put_pulse("mail", 1200)
    busy = {"busy": 2, "oldest_at": CLOCK - 1400, "started_at": CLOCK - 1500}
    pulse.write_worker(redis, signs(**busy))
    assert look() == WELL


def test_a_task_that_runs_longer_than_any_may_is_a_fault(redis: Redis) -> None:
    busy = {"busy": 1, "oldest_at": CLOCK - 1861, "started_at": CLOCK - 3}
    pulse.write_worker(redis, signs(**busy))
    assert look().message == (
        "The worker celery@other (process 7) is stuck: a task of it has been running for 1861 "
        "seconds."
    )


def test_a_free_worker_that_leaves_what_waits_for_it_is_stuck(redis: Redis) -> None:
    put_pulse("reports", 61)
    pulse.write_worker(redis, signs(busy=1, oldest_at=CLOCK - 90, started_at=CLOCK - 90))
    assert look().message == (
        "The worker celery@other (process 7) is stuck: tasks wait for it, but it has started none "
        "for 90 seconds."
    )
    # It works on what came first.
    pulse.write_worker(redis, signs(busy=1, oldest_at=CLOCK - 90, started_at=CLOCK - 60))
    assert look() == WELL


def test_a_pulse_that_a_broker_has_lost_accuses_nobody(redis: Redis) -> None:
    put_pulse("reports", 61)
    app.control.purge()
    pulse.write_worker(redis, signs(started_at=CLOCK - 90))
    assert look() == WELL


def test_a_pulse_of_a_queue_that_others_serve_accuses_nobody(redis: Redis) -> None:
    put_pulse("reports", 61)
    quiet = signs(name="quiet@other", queues=["mail"], started_at=CLOCK - 900)
    for worker in (signs(), quiet):
        pulse.write_worker(redis, worker)
    assert look().message == "All queues are served, by 2 workers."


def test_queues_that_nobody_serves_are_named(redis: Redis) -> None:
    pulse.write_worker(redis, signs(queues=["account", "default", "webhooks", "mail"]))
    check = look()
    assert check.message == "No worker takes from these queues: reports, campaigns."
    assert check.remedy == (
        "Start a worker: “celery -A config worker -Q reports,campaigns”, or “docker compose up -d”."
    )


def test_a_process_of_this_machine_that_has_ended_is_forgotten_at_once(redis: Redis) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    here = {"machine": socket.gethostname()}
    pulse.write_worker(redis, signs(name="celery@here", pid=ended.pid, **here))
    assert look().message.startswith("No worker takes from these queues: account, ")
    pulse.write_worker(redis, signs(name="celery@here", pid=os.getpid(), **here))
    assert look() == WELL


def test_a_containers_health_is_that_of_its_own_worker(redis: Redis) -> None:
    def look_here() -> str:
        [check] = run_checks(now=NOW, only=["this_worker"])
        return check.message

    pulse.write_worker(redis, signs(written_at=CLOCK - 31))
    assert look_here() == "No worker of this machine takes tasks."
    mine = signs(machine=socket.gethostname(), pid=os.getpid(), queues=["mail"])
    pulse.write_worker(redis, mine)
    assert look_here() == "The worker of this machine takes tasks."
    pulse.write_worker(redis, replace(mine, written_at=CLOCK - 31))
    assert look_here().endswith(
        "has given no sign of life for 31 seconds: it is frozen, or it was killed."
    )
    assert "this_worker" not in NAMES


def test_two_workers_of_one_name_are_two(redis: Redis) -> None:
    for pid in (7, 8):
        pulse.write_worker(redis, signs(pid=pid))
    assert look().message == "All queues are served, by 2 workers."
    pulse.forget_worker(redis, signs(pid=7).key)
    assert [worker.pid for worker in pulse.workers(redis)] == [8]


def test_a_worker_that_was_lost_is_forgotten_after_a_quarter_of_an_hour(redis: Redis) -> None:
    pulse.write_worker(redis, signs(name="lost@other", written_at=CLOCK - 904))
    pulse.write_worker(redis, signs())
    assert look() == WELL
    assert 890 <= redis.ttl(f"{pulse.WORKERS}:{signs().key}") <= 900
    assert json.loads(str(redis.get(f"{pulse.WORKERS}:{signs().key}"))) == asdict(signs())


def test_no_queue_gets_a_second_pulse_before_the_first_has_run_or_an_hour(redis: Redis) -> None:
    queues = ["mail", "reports"]
    assert pulse.queues_without_pulse(redis, queues, CLOCK) == queues
    assert pulse.queues_without_pulse(redis, queues, CLOCK + 3599) == []
    tasks.pulse(queue="mail")
    assert pulse.queues_without_pulse(redis, queues, CLOCK + 3599) == ["mail"]
    assert pulse.queues_without_pulse(redis, queues, CLOCK + 3600) == ["reports"]


@pytest.mark.django_db(transaction=True)
def test_beat_writes_each_round_down_and_gives_each_queue_one_pulse(redis: Redis) -> None:
    # Nothing else shall be due.
    PeriodicTask.objects.all().delete()
    beat = PulsingScheduler(app=app, lazy=True)
    for _round in range(3):
        assert 0 <= beat.tick() <= 5
    wrote_at = pulse.beat_wrote_at(redis)
    assert wrote_at is not None
    assert abs(wrote_at - timezone.now().timestamp()) < 5
    assert sorted(pulse.waiting_pulses(redis)) == sorted(queue_names())
    assert [redis.llen(name) for name in queue_names()] == [1] * 6


def test_beat_that_was_never_seen_and_one_that_stands_still(redis: Redis) -> None:
    def look_at_beat() -> str:
        [check] = run_checks(now=NOW, only=["beat"])
        return check.message

    assert look_at_beat() == "Beat has not been running."
    pulse.write_beat(redis, CLOCK - 60)
    assert look_at_beat() == "Beat's last sign of life is 60 seconds old."
    pulse.write_beat(redis, (NOW - timedelta(seconds=61)).timestamp())
    assert look_at_beat() == "Beat gave its last sign of life 61 seconds ago."


@pytest.mark.django_db
def test_health_asks_the_five_servers_only(redis: Redis) -> None:
    pulse.write_worker(redis, signs())
    pulse.write_beat(redis, CLOCK)
    found = health(now=NOW)
    assert [check.name for check in found] == ["database", "redis", "broker", "workers", "beat"]
    assert all(check.ok for check in found)
