"""2,000 digests, 4 workers, 20 SIGKILLs, a provider that fails and cuts lines (issue of trust).

Real workers of their own processes, real PostgreSQL and Redis, SendGrid simulated over HTTP. With
the provider's events everybody has exactly one mail at the end; without them nobody has two, and
what nobody can know is listed as uncertain.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
import redis
from django.conf import settings as django_settings
from django.db.models import F
from django.utils import timezone
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from notifications.models import Delivery, Reason, State
from notifications.sweep import sweep
from tests import own_processes
from tests.factories import AgentFactory
from tests.firing import fire, publish
from tests.limits import set_limits
from tests.providers.sendgrid_simulator import SendGridSimulator
from tests.providers.simulator import Faults

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.serial, pytest.mark.timeout(900)]

PEOPLE = 2000
WORKERS = 4
KILLS = 20
# Later than any delivery may stay uncertain for want of events.
GRACE_IS_OVER = timedelta(hours=2)
FAULTS = Faults(fail_503=0.05, cut_before=0.025, cut_after=0.025)


class Workers:
    """Celery workers of their own processes, killed at random and started again."""

    def __init__(self, folder: Path, provider: SendGridSimulator) -> None:
        self._log = (folder / "workers.log").open("ab")
        self._environment = {
            **own_processes.environment(),
            "EMAIL_PROVIDER": "sendgrid",
            "SENDGRID_API_KEY": "SG.made-up",
            "SENDGRID_API_HOST": provider.url,
            "LOG_LEVEL": "WARNING",
        }
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self, count: int) -> None:
        command = [sys.executable, "-m", "celery", "-A", "config", "worker", "--pool", "solo"]
        command += ["--without-mingle", "--without-gossip", "--without-heartbeat"]
        for _ in range(count):
            self._running.append(
                subprocess.Popen(
                    command, cwd=django_settings.BASE_DIR, env=self._environment,
                    stdout=self._log, stderr=self._log,
                )
            )  # fmt: skip

    def kill(self, worker: subprocess.Popen[bytes]) -> None:
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait(timeout=30)
        self._running.remove(worker)

    def kill_one(self, generator: random.Random) -> None:
        self.kill(generator.choice(self._running))

    def kill_all(self) -> None:
        for worker in list(self._running):
            self.kill(worker)


@contextmanager
def workers_at(folder: Path, provider: SendGridSimulator) -> Iterator[Workers]:
    workers = Workers(folder, provider)
    try:
        yield workers
    finally:
        workers.kill_all()


@pytest.fixture(autouse=True)
def _empty_redis() -> Iterator[None]:
    """This test's own Redis database: marks, buckets and queues start empty."""
    server = redis.Redis.from_url(django_settings.REDIS_URL)
    server.flushdb()
    yield
    server.flushdb()


@pytest.fixture
def _many_digests() -> None:
    """Everybody has one digest waiting."""
    set_limits(
        backoff_base_seconds=1, backoff_cap_seconds=2, batch_size=25, max_attempts=50,
        breaker_pause_seconds=1,
    )  # fmt: skip
    publish("Brewery", "Mill")
    AgentFactory.create_batch(PEOPLE)
    assert fire().digests == PEOPLE


def sent() -> int:
    return Delivery.objects.filter(state=State.SENT).count()


def kill_at_random(workers: Workers) -> None:
    """Twenty kills, spread over the work: each after some more mails have left."""
    generator = random.Random(20261129)
    for kill in range(1, KILLS + 1):
        wait_for(kill * PEOPLE // (2 * KILLS))
        time.sleep(generator.uniform(0, 0.2))
        workers.kill_one(generator)
        workers.start(1)
        let_queue_forget()
        sweep(now=timezone.now())


def wait_for(at_least: int, seconds: float = 60) -> None:
    """Wait until that many are sent; the sweep runs meanwhile, as beat would run it."""
    deadline = time.monotonic() + seconds
    while sent() < at_least and time.monotonic() < deadline:
        sweep(now=timezone.now())
        time.sleep(0.2)
    assert sent() >= at_least, "The workers do not get on."


def work_off(workers: Workers, seconds: float = 120) -> None:
    """Until nothing is waiting any more that a living worker can take."""
    deadline = time.monotonic() + seconds
    while Delivery.objects.filter(state__in=(State.PENDING, State.CLAIMED)).exists():
        assert time.monotonic() < deadline, "The workers do not come to an end."
        let_queue_forget()
        let_leases_expire(State.CLAIMED)
        sweep(now=timezone.now())
        time.sleep(1)


def let_queue_forget() -> None:
    """As if the time had passed after which a waiting delivery is put in the queue again."""
    Delivery.objects.filter(state=State.PENDING).update(
        enqueued_at=None, next_attempt_at=timezone.now()
    )


def let_leases_expire(*states: str) -> None:
    """As if the leases of killed workers had run out. Living ones lose theirs too, harmlessly."""
    Delivery.objects.filter(state__in=states).update(
        lease_expires_at=F("lease_expires_at") - timedelta(days=1)
    )


def end_of_fire(workers: Workers) -> None:
    """Everything has stopped; what the dead workers held is sent, or known to be uncertain."""
    work_off(workers)
    stop(workers)
    while Delivery.objects.open().exists():
        # Started along with others by a worker that was killed, and never handed over.
        workers.start(WORKERS)
        work_off(workers)
        let_calls_end()
        stop(workers)


def stop(workers: Workers) -> None:
    workers.kill_all()
    let_leases_expire(State.DISPATCHING, State.CLAIMED)
    sweep(now=timezone.now())


def let_calls_end(seconds: float = 30) -> None:
    """No worker has died since the last stop: whatever is being handed over comes to an end."""
    deadline = time.monotonic() + seconds
    while Delivery.objects.filter(state=State.DISPATCHING).exists():
        assert time.monotonic() < deadline, "A call does not come to an end."
        time.sleep(0.1)


@pytest.mark.usefixtures("_many_digests")
def test_with_events_everybody_has_exactly_one_mail(
    live_server: LiveServer, settings: Settings, tmp_path: Path
) -> None:
    provider = SendGridSimulator(
        events_url=f"{live_server.url}/webhooks/sendgrid/", faults=FAULTS,
        keeps_requests=False,
    )  # fmt: skip
    settings.SENDGRID_WEBHOOK_PUBLIC_KEY = provider.key.public
    with provider, workers_at(tmp_path, provider) as workers:
        workers.start(WORKERS)
        kill_at_random(workers)
        end_of_fire(workers)
        for _ in range(20):
            if not Delivery.objects.exclude(state=State.SENT).exists():
                break
            time.sleep(2)  # the last events arrive
            sweep(now=timezone.now() + GRACE_IS_OVER)
            workers.start(WORKERS)
            end_of_fire(workers)
    assert sent() == PEOPLE
    assert set(provider.accepted_by_address.values()) == {1}
    assert len(provider.accepted_by_address) == PEOPLE


@pytest.mark.usefixtures("_many_digests")
def test_without_events_nobody_has_two_and_every_doubt_is_listed(tmp_path: Path) -> None:
    provider = SendGridSimulator(faults=FAULTS, keeps_requests=False)
    with provider, workers_at(tmp_path, provider) as workers:
        workers.start(WORKERS)
        kill_at_random(workers)
        end_of_fire(workers)
    uncertain = Delivery.objects.filter(state=State.UNCERTAIN)
    assert sent() + uncertain.count() == PEOPLE
    assert set(provider.accepted_by_address.values()) == {1}
    certain = Delivery.objects.filter(state=State.SENT).values_list("address", flat=True)
    assert all(provider.accepted_by_address[address] == 1 for address in certain)
    # Each doubt is a request without an answer: a line that was cut, or a worker that was killed.
    cut = provider.counts["cut_before"] + provider.counts["cut_after"]
    assert cut <= uncertain.count() <= cut + KILLS + WORKERS
    assert set(uncertain.values_list("reason", flat=True)) == {Reason.NO_ANSWER}
