"""A worker killed among deliveries that it had started together: who of them has a mail?

Real workers of their own processes, SendGrid simulated over HTTP, one request a mail. The worker
dies by SIGKILL in the middle of a call, with more calls committed and not yet begun.
"""

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from django.conf import settings as django_settings
from django.core.mail import EmailMessage
from django.utils import timezone

from notifications.email_backend import LedgerEmailBackend
from notifications.models import Delivery, State
from notifications.sweep import sweep
from tests import outages, own_processes
from tests.faults.test_sending_killed import let_leases_expire
from tests.outages import wait_until
from tests.providers.sendgrid_simulator import SendGridSimulator, running_server

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.serial]
PEOPLE = 80
# Chunks of 1, 2, 4, 8 and 16 are over by then: this is in the middle of one of 25.
LAST_REQUEST = 40


@pytest.fixture(autouse=True)
def memory() -> Iterator[redis.Redis]:
    """This test's own Redis database."""
    server = redis.Redis.from_url(django_settings.REDIS_URL)
    server.flushdb()
    yield server
    server.flushdb()


@pytest.fixture
def sendgrid() -> Iterator[SendGridSimulator]:
    with running_server() as simulator:
        yield simulator


@pytest.fixture(autouse=True)
def _mails(memory: redis.Redis) -> None:
    LedgerEmailBackend().send_messages(
        [
            EmailMessage(f"Mail {n}", "Text", "post@marktlotse.example", [f"p{n}@example.com"])
            for n in range(PEOPLE)
        ]
    )


def environment(provider: SendGridSimulator) -> dict[str, str]:
    return {
        "EMAIL_PROVIDER": "sendgrid",
        "SENDGRID_API_KEY": "SG.made-up",
        "SENDGRID_API_HOST": provider.url,
    }


def killed_in_a_call(
    provider: SendGridSimulator, log: Path, first: Callable[[], object] = lambda: None
) -> set[int]:
    """Run a worker until it is killed in its fortieth call; what it was handing over then."""
    command = [sys.executable, "-m", "celery", "-A", "config", "worker", "--pool", "solo"]
    command += ["-Q", "account,mail", "--without-mingle", "--without-gossip"]
    worker = subprocess.Popen(
        command,
        env={**own_processes.environment(), **environment(provider)},
        cwd=django_settings.BASE_DIR,
        stderr=log.open("wb"),
    )

    def kill(request: dict[str, Any]) -> None:
        if len(provider.requests) == LAST_REQUEST:
            first()
            os.kill(worker.pid, signal.SIGKILL)

    provider.on_request = kill
    try:
        worker.wait(timeout=60)
    finally:
        worker.kill()
        worker.wait()
    provider.on_request = lambda request: None
    return set(Delivery.objects.filter(state=State.DISPATCHING).values_list("pk", flat=True))


def send_the_rest(provider: SendGridSimulator, log: Path) -> None:
    with outages.worker(log, environment(provider)):
        wait_until(lambda: bool(sweep(now=timezone.now())) and not Delivery.objects.open().exists())


def states() -> Counter[str]:
    return Counter(Delivery.objects.values_list("state", flat=True))


def test_one_is_uncertain_and_those_whose_turn_had_not_come_are_sent_once(
    sendgrid: SendGridSimulator, tmp_path: Path
) -> None:
    started = killed_in_a_call(sendgrid, tmp_path / "killed.log")
    assert len(started) > 2
    let_leases_expire()
    sweep(now=timezone.now())
    assert states()[State.UNCERTAIN] == 1
    untouched = Delivery.objects.filter(pk__in=started, state=State.PENDING)
    assert set(untouched.values_list("attempts", "dispatched_at")) == {(0, None)}
    send_the_rest(sendgrid, tmp_path / "rest.log")
    assert states() == {State.SENT: PEOPLE - 1, State.UNCERTAIN: 1}
    assert set(sendgrid.accepted_by_address.values()) == {1}
    assert len(sendgrid.accepted_by_address) >= PEOPLE - 1


def test_with_the_marks_lost_too_all_that_were_started_are_uncertain(
    sendgrid: SendGridSimulator, tmp_path: Path, memory: redis.Redis
) -> None:
    started = killed_in_a_call(sendgrid, tmp_path / "killed.log", first=memory.flushdb)
    assert len(started) > 2
    let_leases_expire()
    send_the_rest(sendgrid, tmp_path / "rest.log")
    uncertain = Delivery.objects.filter(state=State.UNCERTAIN)
    assert set(uncertain.values_list("pk", flat=True)) == started
    assert states()[State.SENT] == PEOPLE - len(started)
    assert set(sendgrid.accepted_by_address.values()) == {1}
