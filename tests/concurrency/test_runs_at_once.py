"""Runs at once, one after another, and again after a kill: one digest a run, nothing lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import zoneinfo
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.db import connection, connections

from agents import runs
from agents.editing import change_agent
from agents.frequency import Frequency
from agents.models import ReportedCompany, ReportRun, ScheduledMailReport
from agents.planner_lock import UnableToPlan, planner_lock
from agents.runs import run_reports
from listings.criteria import Criteria
from notifications.models import Delivery
from tests.factories import AgentFactory, UserFactory
from tests.firing import fire, publish
from tests.limits import set_limits

pytestmark = pytest.mark.django_db(transaction=True)

PEOPLE = 60


def run_in_thread(barrier: threading.Barrier, frequency: str, occurrence: datetime) -> None:
    try:
        barrier.wait(timeout=30)
        run_reports(frequency, now=datetime.now(UTC), occurrence=occurrence)
    finally:
        connections.close_all()


def run_at_once(*frequencies: str) -> None:
    """Fire these tiers in threads that start together, for one occurrence."""
    barrier, occurrence = threading.Barrier(len(frequencies)), datetime.now(UTC)
    threads = [
        threading.Thread(target=run_in_thread, args=(barrier, frequency, occurrence))
        for frequency in frequencies
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads)


def test_one_tier_fired_four_times_at_once_gives_each_person_one_digest() -> None:
    publish("A", "B", "C")
    AgentFactory.create_batch(PEOPLE)
    run_at_once(*[Frequency.DAILY] * 4)
    assert ReportRun.objects.count() == 1
    assert Delivery.objects.count() == PEOPLE
    assert ReportedCompany.objects.count() == 3 * PEOPLE
    assert ReportRun.objects.get().digests == PEOPLE


def test_four_tiers_at_once_mention_each_company_once_to_each_person() -> None:
    publish("A", "B", "C")
    for _ in range(PEOPLE):
        user = UserFactory()
        for frequency in Frequency:
            AgentFactory(user=user, frequency=frequency)
    run_at_once(*Frequency)
    assert ReportedCompany.objects.count() == 3 * PEOPLE
    assert Delivery.objects.count() == PEOPLE
    duplicates = sum(ReportRun.objects.values_list("duplicates", flat=True))
    assert duplicates == 3 * 3 * PEOPLE


def test_chunks_planned_at_the_same_time_give_everybody_one_digest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runs, "CHUNK_SIZE", 7)
    publish("A", "B", "C")
    AgentFactory.create_batch(PEOPLE)
    run = fire()
    users = list(Delivery.objects.values_list("user_id", flat=True))
    assert len(users) == len(set(users)) == PEOPLE
    assert ReportedCompany.objects.count() == 3 * PEOPLE
    assert (run.due, run.digests, run.reported, run.deferred) == (PEOPLE, PEOPLE, 3 * PEOPLE, 0)


def test_a_short_budget_is_spent_in_order_over_all_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "CHUNK_SIZE", 7)
    set_limits(max_mails_per_run=10)
    publish("A")
    start = datetime.now(UTC) - timedelta(hours=1)
    agents = [AgentFactory(next_run_at=start + timedelta(seconds=n)) for n in range(25)]
    run = fire()
    served = Delivery.objects.order_by("pk").values_list("user_id", flat=True)
    assert list(served) == [agent.user_id for agent in agents[:10]]
    assert (run.digests, run.deferred) == (10, 15)


def test_a_chunk_that_fails_is_told_and_the_others_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "CHUNK_SIZE", 7)
    publish("A")
    agents = AgentFactory.create_batch(PEOPLE)
    broken = agents[30].user
    type(broken).objects.filter(pk=broken.pk).update(time_zone="Nowhere/Land")
    with pytest.raises(zoneinfo.ZoneInfoNotFoundError):
        fire()
    planned = Delivery.objects.count()
    assert 0 < planned < PEOPLE
    assert not Delivery.objects.filter(user=broken).exists()
    type(broken).objects.filter(pk=broken.pk).update(time_zone="Europe/Berlin")
    fire()
    assert Delivery.objects.count() == PEOPLE


def test_the_same_occurrence_again_adds_nothing_and_has_no_new_budget() -> None:
    set_limits(max_mails_per_run=2)
    publish("A")
    AgentFactory.create_batch(3)
    at = datetime.now(UTC)
    first, second = fire(at=at), fire(at=at)
    assert first.pk == second.pk
    assert Delivery.objects.count() == 2
    assert fire().digests == 1


def test_the_planner_lock_is_waited_for_and_given_up_with_a_clear_error() -> None:
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with planner_lock():
            held.set()
            done.wait(timeout=30)
        connections.close_all()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(timeout=30)
    try:
        with pytest.raises(UnableToPlan), planner_lock(wait_seconds=0.3):
            pass
    finally:
        done.set()
        thread.join()
    with planner_lock(wait_seconds=5):
        pass


PLANNER = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
import django
django.setup()
from django.db import connection
connection.settings_dict["NAME"] = sys.argv[1]
from datetime import UTC, datetime
from agents import runs
runs.CHUNK_SIZE = 5
print("ready", flush=True)
now = datetime.now(UTC)
runs.run_reports("daily", now=now, occurrence=datetime.fromisoformat(sys.argv[2]))
"""


def start_planner(occurrence: datetime) -> subprocess.Popen[str]:
    """A planner in a process of its own, working in small chunks."""
    database = str(connection.settings_dict["NAME"])
    planner = subprocess.Popen(
        [sys.executable, "-c", PLANNER, database, occurrence.isoformat()],
        stdout=subprocess.PIPE, text=True, cwd=settings.BASE_DIR,
        env={**os.environ, "CELERY_BROKER_URL": "memory://"},
    )  # fmt: skip
    assert planner.stdout is not None
    assert planner.stdout.readline().strip() == "ready"
    return planner


def kill_after_some_chunks(planner: subprocess.Popen[str], deliveries: int) -> None:
    """SIGKILL once that many deliveries are committed."""
    deadline = time.monotonic() + 30
    while Delivery.objects.count() < deliveries and time.monotonic() < deadline:
        if planner.poll() is not None:
            break
    os.kill(planner.pid, signal.SIGKILL)
    planner.wait(timeout=30)


@pytest.mark.serial
def test_a_planner_killed_again_and_again_gives_everybody_one_digest_and_loses_nothing() -> None:
    publish("A", "B", "C")
    AgentFactory.create_batch(PEOPLE * 5)
    occurrence = datetime.now(UTC)
    kills = 0
    for deliveries in (1, 60, 120, 180):
        planner = start_planner(occurrence)
        kill_after_some_chunks(planner, deliveries)
        kills += planner.returncode == -signal.SIGKILL
    assert kills >= 2
    assert Delivery.objects.count() < PEOPLE * 5
    fire(occurrence=occurrence)
    run = ReportRun.objects.get()
    users = Delivery.objects.values_list("user_id", flat=True)
    assert len(users) == len(set(users)) == PEOPLE * 5
    assert (run.digests, run.reported) == (PEOPLE * 5, 3 * PEOPLE * 5)
    assert ReportedCompany.objects.count() == 3 * PEOPLE * 5
    assert run.finished_at is not None


@pytest.mark.serial
def test_a_run_left_open_is_closed_by_the_next_firing_which_plans_the_rest() -> None:
    publish("A")
    AgentFactory.create_batch(PEOPLE * 5)
    occurrence = datetime.now(UTC) - timedelta(hours=1)
    kill_after_some_chunks(start_planner(occurrence), 20)
    planned = Delivery.objects.count()
    assert 0 < planned < PEOPLE * 5
    run = fire()
    assert run.digests == PEOPLE * 5 - planned
    assert ReportRun.objects.filter(finished_at=None).count() == 0


def test_agents_edited_while_a_run_plans_keep_their_edit() -> None:
    agent = AgentFactory()
    publish("A")
    stale = ScheduledMailReport.objects.get(pk=agent.pk)
    fire()
    change_agent(stale, now=datetime.now(UTC), criteria=Criteria(keywords="mill"))
    agent.refresh_from_db()
    assert agent.keywords == "mill"
    assert agent.last_run_at is not None
    assert agent.next_run_at > datetime.now(UTC)
