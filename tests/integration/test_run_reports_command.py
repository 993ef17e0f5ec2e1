"""`manage.py run_reports` does what the task does."""

import json
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
import time_machine
from django.core.management import CommandError, call_command

from agents import tasks
from agents.models import ReportedCompany, ReportRun, ScheduledMailReport
from notifications.models import Delivery
from tests.factories import AgentFactory
from tests.firing import publish
from tests.limits import set_limits

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("run_reports", *arguments, stdout=out)
    return out.getvalue()


def run_json(*arguments: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(run("--json", *arguments))
    return answer


def test_it_fires_the_tier_and_prints_the_counters() -> None:
    AgentFactory()
    publish("A", "B")
    answer = run_json("--frequency", "daily")
    stored = ReportRun.objects.get()
    assert answer["run"] == stored.pk
    assert {name: answer[name] for name in ("due", "eligible", "digests", "reported")} == {
        "due": 1, "eligible": 1, "digests": 1, "reported": 2
    }  # fmt: skip
    assert stored.finished_at is not None


def test_the_table_names_what_happened() -> None:
    AgentFactory()
    publish("A")
    table = run("--frequency", "daily")
    assert "mails planned" in table
    assert "daily" in table


def test_a_dry_run_counts_and_writes_nothing() -> None:
    agent = AgentFactory()
    publish("A", "B")
    answer = run_json("--frequency", "daily", "--dry-run")
    assert (answer["run"], answer["digests"], answer["reported"]) == (None, 1, 2)
    assert Delivery.objects.count() == ReportRun.objects.count() == 0
    assert ReportedCompany.objects.count() == 0
    before = agent.next_run_at
    agent.refresh_from_db()
    assert agent.next_run_at == before


def test_at_a_later_time_fires_who_is_due_then_but_never_looks_ahead() -> None:
    agent = AgentFactory(next_run_at=datetime.now(UTC) + timedelta(days=2))
    publish("A")
    publish("Later", minutes_ago=-60)
    assert run_json("--frequency", "daily")["due"] == 0
    tomorrow = (datetime.now(UTC) + timedelta(days=3)).isoformat()
    assert run_json("--frequency", "daily", "--at", tomorrow)["reported"] == 1
    agent.refresh_from_db()
    assert agent.matched_until <= datetime.now(UTC)


def test_the_same_time_again_joins_the_same_run() -> None:
    AgentFactory()
    publish("A")
    at = datetime.now(UTC).isoformat()
    first, second = (run_json("--frequency", "daily", "--at", at) for _ in range(2))
    assert first == second
    assert Delivery.objects.count() == 1


def test_firing_ahead_of_time_silences_nobody() -> None:
    agent = AgentFactory(frequency="monthly")
    publish("A")
    ahead = (datetime.now(UTC) + timedelta(days=300)).isoformat()
    assert run_json("--frequency", "monthly", "--at", ahead)["digests"] == 1
    agent.refresh_from_db()
    assert agent.next_run_at < datetime.now(UTC) + timedelta(days=32)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--frequency", "yearly"),
        ("--frequency", "daily", "--at", "yesterday"),
        ("--frequency", "daily", "--at", "2026-02-31T07:00"),
        ("--frequency", "daily", "--at", "9999-12-31T23:59Z"),
        ("--frequency", "daily", "--at", "0001-01-01T00:00:00+14:00", "--dry-run"),
    ],
)
def test_wrong_arguments_are_refused(arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        run(*arguments)
    assert ReportRun.objects.count() == 0


def test_each_tier_has_its_task_and_touches_no_other_tier() -> None:
    for frequency in ("hourly", "daily", "weekly", "monthly"):
        AgentFactory(frequency=frequency)
    publish("A")
    for frequency in ("hourly", "daily", "weekly", "monthly"):
        getattr(tasks, f"report_{frequency}").apply()
        planned = ScheduledMailReport.objects.filter(last_outcome="mailed")
        assert frequency in planned.values_list("frequency", flat=True)
    assert Delivery.objects.count() == 4
    assert ReportRun.objects.count() == 4


@time_machine.travel(datetime(2027, 3, 1, 6, 30, 59, tzinfo=UTC), tick=False)
def test_two_beats_in_the_same_minute_are_one_firing_with_one_budget() -> None:
    set_limits(max_mails_per_run=1)
    AgentFactory.create_batch(2)
    publish("A")
    tasks.report_daily.apply()
    tasks.report_daily.apply()
    assert ReportRun.objects.count() == 1
    assert Delivery.objects.count() == 1
