"""An admin changes limits while a worker runs: its next firing obeys, and nobody restarts it."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from django.conf import settings as django_settings
from django.test import Client

from agents import tasks
from agents.frequency import Frequency
from agents.models import ReportRun, ScheduledMailReport
from config.celery import app
from marketplace.models import User
from notifications.models import Delivery, LimitChange
from notifications.outbox_files import newest
from tests import own_processes
from tests.factories import AgentFactory
from tests.firing import publish
from tests.integration.test_limits_admin import LIMITS_PAGE, limits_form
from tests.outages import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
PEOPLE = 4
TASKS = {
    Frequency.HOURLY: tasks.report_hourly,
    Frequency.DAILY: tasks.report_daily,
    Frequency.MONTHLY: tasks.report_monthly,
}


@pytest.fixture
def worker(tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A real worker for reports and mails, on this test's database, queues and outbox."""
    broker = redis.Redis.from_url(app.conf.broker_url)
    broker.flushdb()
    command = [sys.executable, "-m", "celery", "-A", "config", "worker", "-Q", "reports,mail"]
    command += ["--pool", "solo", "--without-mingle", "--without-gossip"]
    with (tmp_path / "worker.log").open("wb") as log:
        process = subprocess.Popen(
            command,
            env=own_processes.environment(),
            cwd=django_settings.BASE_DIR,
            stdout=log,
            stderr=log,
        )
    yield process
    process.terminate()
    process.wait()
    broker.flushdb()


@pytest.fixture
def admin(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("admin@example.com", "x"))
    return client


def fired(frequency: Frequency) -> ReportRun:
    """The tier's firing by the worker, once all its mails have left."""
    TASKS[frequency].delay()
    run = ReportRun.objects.filter(frequency=frequency, finished_at__isnull=False)
    wait_until(run.exists)
    wait_until(lambda: not Delivery.objects.exclude(state="sent").exists())
    return run.get()


def test_the_next_firing_of_a_running_worker_obeys_what_the_admin_posted(
    admin: Client, worker: "subprocess.Popen[bytes]"
) -> None:
    ScheduledMailReport.objects.all().delete()
    for frequency in TASKS:
        AgentFactory.create_batch(PEOPLE, frequency=frequency)
    publish("Oak mill", "Elm mill", "Ash mill")
    free = fired(Frequency.HOURLY)
    assert (free.due, free.digests, free.reported, free.deferred) == (4, 4, 12, 0)
    limited = limits_form(max_mails_per_run=1, max_companies=2)
    assert admin.post(LIMITS_PAGE, limited).status_code == 302
    one = fired(Frequency.DAILY)
    assert (one.due, one.digests, one.reported, one.deferred) == (4, 1, 2, 3)
    assert admin.post(LIMITS_PAGE, limits_form(max_mails_per_run=3)).status_code == 302
    three = fired(Frequency.MONTHLY)
    assert (three.due, three.digests, three.reported, three.deferred) == (4, 3, 6, 1)
    assert worker.poll() is None
    mails = newest(before=None, recipient="", limit=20).mails
    assert Counter(mail.to for mail in mails).most_common(1)[0][1] == 1
    assert len(mails) == 8
    changes = LimitChange.objects.order_by("pk").values_list("field", "before", "after")
    assert list(changes) == [
        ("max_mails_per_run", "5000", "1"),
        ("max_companies", "10", "2"),
        ("max_mails_per_run", "1", "3"),
    ]
