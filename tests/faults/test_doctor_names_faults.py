"""`manage.py doctor` beside real processes names each fault and what to do; whole, all is well."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django_celery_beat.models import IntervalSchedule, PeriodicTask
from pytest_django import Settings
from redis import Redis

from operations import pulse
from operations.checks import NAMES
from tests import own_processes
from tests.outages import OwnRedis, free_port, wait_until
from tests.providers.sendgrid_simulator import SendGridSimulator

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.serial]
KEY = "SG.made-up"
WORKER = ("worker", "-Q", "account,default,webhooks,reports,campaigns,mail", "--concurrency", "1",
          "--without-mingle", "--without-gossip")  # fmt: skip
BEAT = ("beat", "--pidfile", "")


class Stack:
    """A Redis, a SendGrid, a worker and beat of the test's own, and the doctor looking at them."""

    def __init__(self, redis: OwnRedis, sendgrid: SendGridSimulator, logs: Path) -> None:
        self.redis, self.logs = redis, logs
        self.keys = Redis.from_url(redis.url, decode_responses=True)
        self.environment = {
            **own_processes.environment(), "EMAIL_PROVIDER": "sendgrid", "SENDGRID_API_KEY": KEY,
            "SENDGRID_API_HOST": sendgrid.url,
        }  # fmt: skip
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, *arguments: str) -> None:
        with (self.logs / f"{arguments[0]}.log").open("wb") as log:
            self.processes[arguments[0]] = subprocess.Popen(
                [sys.executable, "-m", "celery", "-A", "config", *arguments],
                env=self.environment,
                cwd=django_settings.BASE_DIR,
                stdout=log,
                stderr=log,
            )

    def end(self, name: str, by: signal.Signals) -> None:
        process = self.processes.pop(name)
        # Frozen, it heeds nothing else.
        os.kill(process.pid, signal.SIGCONT)
        os.kill(process.pid, by)
        process.wait()

    def doctor(self, *arguments: str, **changes: str) -> dict[str, dict[str, Any]]:
        """What it says, by check; its exit code must agree."""
        ran = self.run(*arguments, "--json", **changes)
        checks = {check["name"]: check for check in json.loads(ran.stdout)["checks"]}
        assert ran.returncode == (0 if all(check["ok"] for check in checks.values()) else 1)
        return checks

    def run(self, *arguments: str, **changes: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "manage.py", "doctor", *arguments],
            env={**self.environment, **changes},
            cwd=django_settings.BASE_DIR,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def faults(self, *arguments: str, **changes: str) -> list[str]:
        checks = self.doctor(*arguments, **changes)
        assert all(check["remedy"] for check in checks.values() if not check["ok"])
        return [name for name, check in checks.items() if not check["ok"]]


@pytest.fixture
def stack(settings: Settings, tmp_path: Path) -> Iterator[Stack]:
    redis = OwnRedis()
    redis.start()
    settings.REDIS_URL = settings.CELERY_BROKER_URL = redis.url
    every, _made = IntervalSchedule.objects.get_or_create(every=10, period="seconds")
    PeriodicTask.objects.get_or_create(
        task="notifications.tasks.sweep", defaults={"name": "Sweep", "interval": every}
    )
    with SendGridSimulator(api_key=KEY) as sendgrid:
        whole = Stack(redis, sendgrid, tmp_path)
        try:
            whole.start(*WORKER)
            whole.start(*BEAT)
            wait_until(lambda: bool(pulse.workers(whole.keys) and whole.keys.exists(pulse.BEAT)))
            yield whole
        finally:
            for name in list(whole.processes):
                whole.end(name, signal.SIGKILL)
            redis.kill()


def let_time_pass(stack: Stack, seconds: float) -> None:
    """As if whatever was written down had been written so long ago."""
    for key in stack.keys.scan_iter(f"{pulse.WORKERS}:*"):
        signs = json.loads(str(stack.keys.get(key)))
        for name in ("written_at", "started_at"):
            signs[name] -= seconds
        stack.keys.set(key, json.dumps(signs))
    if wrote_at := pulse.beat_wrote_at(stack.keys):
        pulse.write_beat(stack.keys, wrote_at - seconds)


def test_a_whole_stack_is_well_and_pulses_go_through_every_queue(stack: Stack) -> None:
    wait_until(lambda: pulse.waiting_pulses(stack.keys) == {})
    checks = stack.doctor()
    assert {name: check["message"] for name, check in checks.items() if not check["ok"]} == {}
    assert tuple(checks) == NAMES
    assert {tuple(check) for check in checks.values()} == {("name", "ok", "message", "remedy")}
    assert checks["workers"]["message"] == "All queues are served, by 1 worker."
    assert checks["provider"]["message"] == "SendGrid answers, and the key may send mail."
    ran = stack.run()
    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (0, "All is well.")
    assert ran.stdout.count("✓") == len(NAMES)


def test_redis_stopped(stack: Stack) -> None:
    stack.redis.kill()
    checks = stack.doctor()
    assert checks["redis"]["message"].startswith("Redis does not answer: ")
    assert checks["redis"]["remedy"].startswith("Start Redis (“systemctl start redis”")
    assert checks["broker"]["message"].startswith("The broker at redis://127.0.0.1:")
    assert checks["workers"]["message"] == "Redis does not answer, so this could not be checked."
    assert [name for name, check in checks.items() if check["ok"]] == [
        "database", "migrations", "provider", "sms", "sender", "site", "sweep"
    ]  # fmt: skip


def test_the_worker_stopped_on_purpose_or_killed(stack: Stack) -> None:
    queues = "account, default, webhooks, reports, campaigns, mail"
    for by in (signal.SIGTERM, signal.SIGKILL):
        if "worker" not in stack.processes:
            stack.start(*WORKER)
            wait_until(lambda: bool(pulse.workers(stack.keys)))
        stack.end("worker", by)
        # On purpose, it has said goodbye; other machines need that.
        assert stack.keys.zcard(pulse.WORKERS) == (0 if by is signal.SIGTERM else 1)
        checks = stack.doctor("--only", "workers,beat")
        assert checks["beat"]["ok"]
        assert checks["workers"]["message"] == f"No worker takes from these queues: {queues}."
        assert "celery -A config worker -Q account,default," in checks["workers"]["remedy"]


def test_a_worker_that_is_frozen_is_alive_but_stuck(stack: Stack) -> None:
    [worker] = pulse.workers(stack.keys)
    os.kill(worker.pid, signal.SIGSTOP)
    time.sleep(0.5)
    assert stack.faults() == []
    let_time_pass(stack, 31)
    pulse.write_beat(stack.keys, time.time())
    checks = stack.doctor()
    assert checks["workers"]["message"].startswith(
        f"The worker {worker.name} (process {worker.pid}) has given no sign of life for 3"
    )
    assert checks["workers"]["remedy"].startswith("End that process (“kill -CONT”, then “kill”,")
    assert [name for name, check in checks.items() if not check["ok"]] == ["workers"]
    os.kill(worker.pid, signal.SIGCONT)
    wait_until(lambda: pulse.workers(stack.keys)[0].written_at > time.time() - 2)
    assert stack.faults() == []


def test_a_worker_whose_pool_is_frozen_is_stuck_although_it_writes(stack: Stack) -> None:
    """The process that runs tasks stands still; the one that takes them goes on."""
    wait_until(lambda: pulse.waiting_pulses(stack.keys) == {})
    [worker] = pulse.workers(stack.keys)
    for child in _children(worker.pid):
        os.kill(child, signal.SIGSTOP)
    try:
        wait_until(lambda: pulse.workers(stack.keys)[0].held > 0, seconds=40, pause=0.2)
        pulse.queues_without_pulse(stack.keys, ["mail"], time.time() - 61)
        [signs] = pulse.workers(stack.keys)
        idle = {"started_at": time.time() - 61}
        late = pulse.WorkerSigns(**{**_as_dict(signs), **idle})
        pulse.write_worker(stack.keys, late)
        message = stack.doctor("--only", "workers")["workers"]["message"]
    finally:
        for child in _children(worker.pid):
            os.kill(child, signal.SIGCONT)
    start = (
        f"The worker {worker.name} (process {worker.pid}) is stuck: tasks wait for it, but it has "
        "started none for "
    )
    assert message.startswith(start)
    # As long as the doctor took to look, beside the 61 of above.
    assert 61 <= int(message.removeprefix(start).removesuffix(" seconds.")) <= 90


def _as_dict(signs: pulse.WorkerSigns) -> dict[str, Any]:
    return {name: getattr(signs, name) for name in signs.__slots__}


def _children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in text.split()]


def test_beat_stopped(stack: Stack) -> None:
    stack.end("beat", signal.SIGTERM)
    assert stack.faults("--only", "beat") == []
    let_time_pass(stack, 61)
    check = stack.doctor("--only", "beat")["beat"]
    assert check["message"].startswith("Beat gave its last sign of life 6")
    assert check["remedy"].startswith("Start beat again: “celery -A config beat”")
    stack.start(*BEAT)
    wait_until(lambda: (pulse.beat_wrote_at(stack.keys) or 0) > time.time() - 5)
    assert stack.faults("--only", "beat") == []


def test_a_wrong_key_for_the_provider(stack: Stack) -> None:
    checks = stack.doctor(SENDGRID_API_KEY="SG.another")
    assert [name for name, check in checks.items() if not check["ok"]] == ["provider"]
    assert checks["provider"]["message"] == "SendGrid refuses our key (401)."
    assert checks["provider"]["remedy"].startswith("Put a valid key into SENDGRID_API_KEY, ")
    assert "SG.another" not in json.dumps(checks)


def test_a_migration_that_was_not_applied(stack: Stack) -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("notifications", "0009_handed_over_index")
    try:
        checks = stack.doctor()
    finally:
        recorder.record_applied("notifications", "0009_handed_over_index")
    assert [name for name, check in checks.items() if not check["ok"]] == ["migrations"]
    message = "Not applied: notifications.0009_handed_over_index (1 in all)."
    assert checks["migrations"]["message"] == message
    assert checks["migrations"]["remedy"] == "Run “python manage.py migrate”."


def test_a_redis_that_throws_keys_away(stack: Stack) -> None:
    stack.keys.config_set("maxmemory-policy", "allkeys-lru")
    checks = stack.doctor()
    assert [name for name, check in checks.items() if not check["ok"]] == ["redis"]
    assert checks["redis"]["message"] == (
        "Redis may throw away queues and sent marks: its maxmemory-policy is allkeys-lru."
    )
    assert "CONFIG SET maxmemory-policy noeviction" in checks["redis"]["remedy"]


@contextmanager
def silent_server() -> Iterator[int]:
    """A port that takes lines and never says a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        yield int(server.getsockname()[1])


def test_with_everything_away_the_doctor_ends_soon_and_without_a_traceback(stack: Stack) -> None:
    ways = {"refused": free_port()}
    with silent_server() as silent:
        ways["silent"] = silent
        for port in ways.values():
            began = time.monotonic()
            ran = stack.run(
                "--json",
                DATABASE_URL=f"postgres://somebody:secret@127.0.0.1:{port}/nowhere",
                REDIS_URL=f"redis://:secret@127.0.0.1:{port}/0",
                CELERY_BROKER_URL=f"amqp://somebody:secret@127.0.0.1:{port}//",
                SENDGRID_API_HOST=f"http://127.0.0.1:{port}",
            )
            assert time.monotonic() - began < 15
            checks = json.loads(ran.stdout)["checks"]
            assert ran.returncode == 1
            assert "Traceback" not in ran.stdout + ran.stderr
            assert "secret" not in ran.stdout + ran.stderr
            well = [check["name"] for check in checks if check["ok"]]
            assert well == ["sms", "sender", "site"]
            by_name = {check["name"]: check["message"] for check in checks}
            assert by_name["database"].startswith("The database does not answer: ")
            assert by_name["broker"].startswith(f"The broker at amqp://127.0.0.1:{port} does not")
