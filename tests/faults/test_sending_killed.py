"""A real worker killed with SIGKILL while it sends: afterwards everybody has exactly one mail."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
import redis
from django.conf import settings as django_settings
from django.core.mail import get_connection, send_mail
from django.db.models import F
from django.utils import timezone

from config.celery import app
from notifications.models import Delivery, MailContent
from notifications.outbox_files import newest
from notifications.sweep import sweep
from tests import own_processes

pytestmark = pytest.mark.django_db(transaction=True)
PEOPLE = 400


@pytest.fixture(autouse=True)
def _empty_queue() -> Iterator[None]:
    broker = redis.Redis.from_url(app.conf.broker_url)
    broker.flushdb()
    yield
    broker.flushdb()


def start_worker(log: Path) -> "subprocess.Popen[bytes]":
    """A Celery worker of its own process on this test's database, queue and outbox."""
    command = [sys.executable, "-m", "celery", "-A", "config", "worker"]
    command += ["-Q", "account,mail", "--pool", "solo", "--without-mingle", "--without-gossip"]
    return subprocess.Popen(
        command,
        env=own_processes.environment(),
        cwd=django_settings.BASE_DIR,
        stderr=log.open("wb"),
    )


def wait_until(is_true: Callable[[], bool], seconds: float = 40) -> None:
    """Look every few milliseconds; fail after `seconds`."""
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline, "It did not happen in time."
        time.sleep(0.005)


def has_sent(at_least: int) -> bool:
    return Delivery.objects.filter(state="sent").count() >= at_least


def test_after_a_kill_in_the_middle_everybody_has_one_mail(tmp_path: Path) -> None:
    for number in range(PEOPLE):
        send_mail(
            f"Mail {number}",
            "Text",
            None,
            [f"person{number}@example.com"],
            connection=get_connection("notifications.email_backend.LedgerEmailBackend"),
        )
    for kill in range(1, 4):
        worker = start_worker(tmp_path / f"worker{kill}.log")
        try:
            wait_until(partial(has_sent, kill * PEOPLE // 5))
        finally:
            os.kill(worker.pid, signal.SIGKILL)
            worker.wait()
        assert Delivery.objects.open().exists()
        let_leases_expire()
        sweep(now=timezone.now())
    worker = start_worker(tmp_path / "worker.log")
    try:
        wait_until(partial(has_sent, PEOPLE))
    finally:
        worker.terminate()
        worker.wait()
    mails = newest(before=None, recipient="", limit=PEOPLE * 2).mails
    assert sorted(mail.to for mail in mails) == sorted(
        f"person{number}@example.com" for number in range(PEOPLE)
    )
    assert not MailContent.objects.exists()


def let_leases_expire() -> None:
    """As if the time of the leases, and of the queue's memory, had passed."""
    past = timedelta(days=1)
    leased = Delivery.objects.filter(lease_expires_at__isnull=False)
    leased.update(lease_expires_at=F("lease_expires_at") - past)
    Delivery.objects.filter(state="pending").update(enqueued_at=None)
