"""Pruning: old ended deliveries go with what hangs on them; what was shown stays remembered."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django_celery_beat.models import PeriodicTask

from agents.models import DigestSection, ReportedCompany
from notifications import ledger, pruning
from notifications.models import DeadLetterAction, Delivery, DeliveryEvent, State
from notifications.pruning import Pruned, prune
from notifications.tasks import prune as prune_task
from tests.factories import AgentFactory
from tests.factories.deliveries import new, pending_deliveries
from tests.firing import fire, fire_and_read, publish, send
from tests.limits import set_limits

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC)


def ended(count: int, days_ago: float, state: str = State.SENT) -> list[int]:
    """So many deliveries that ended then."""
    at = NOW - timedelta(days=days_ago)
    rows = [new(f"{state}:{days_ago}:{n}", at) for n in range(count)]
    ids = sorted(ledger.open_deliveries(rows).values())
    finished_at = at if state in (State.SENT, State.DEAD, State.CANCELLED) else None
    Delivery.objects.filter(pk__in=ids).update(state=state, finished_at=finished_at)
    return ids


def event_of(pk: int | None, days_ago: float) -> None:
    DeliveryEvent.objects.create(
        provider="sendgrid",
        provider_event_id=f"e{pk}:{days_ago}",
        kind="opened",
        delivery_id=pk,
        happened_at=NOW - timedelta(days=days_ago),
    )


def kept() -> set[int]:
    return set(Delivery.objects.values_list("pk", flat=True))


def told(*arguments: str, capsys: pytest.CaptureFixture[str]) -> str:
    call_command("prune", *arguments)
    return capsys.readouterr().out


def test_only_what_ended_long_ago_goes() -> None:
    old = [pk for state in ("sent", "dead", "cancelled") for pk in ended(2, 401, state)]
    young = ended(2, 399)
    assert prune(now=NOW, days=400) == Pruned(deliveries=6, events=0)
    assert kept() == set(young)
    assert not kept() & set(old)


def test_what_has_not_ended_stays_however_old() -> None:
    ids = ended(1, 900, "uncertain") + pending_deliveries(1, NOW - timedelta(days=900))
    assert prune(now=NOW, days=7) == Pruned()
    assert kept() == set(ids)


def test_what_was_planned_long_ago_and_ended_lately_stays() -> None:
    [pk] = ended(1, 500)
    Delivery.objects.update(finished_at=NOW - timedelta(days=1))
    assert prune(now=NOW, days=400) == Pruned()
    assert kept() == {pk}


def test_events_and_notes_go_with_their_delivery_and_lonely_events_by_their_age() -> None:
    [old], [young] = ended(1, 401), ended(1, 1)
    for pk in (old, young):
        event_of(pk, 401)
        DeadLetterAction.objects.create(delivery_id=pk, action="requeued", operator="x")
    event_of(None, 401)
    event_of(None, 399)
    assert prune(now=NOW, days=400) == Pruned(deliveries=1, events=1)
    remaining = DeliveryEvent.objects.order_by("pk").values_list("delivery", flat=True)
    assert list(remaining) == [young, None]
    assert DeadLetterAction.objects.get().delivery_id == young


def test_what_was_shown_stays_so_nothing_is_shown_twice() -> None:
    AgentFactory.create()
    publish("A", minutes_ago=5)
    fire()
    send()
    Delivery.objects.update(created_at=NOW - timedelta(days=9), finished_at=NOW - timedelta(days=8))
    assert prune(now=NOW, days=7).deliveries == 1
    assert DigestSection.objects.count() == 0
    assert ReportedCompany.objects.get().delivery is None
    assert fire_and_read() == []


def test_it_goes_through_a_long_ledger_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning, "BATCH", 10)
    ended(35, 401)
    young = ended(25, 1)
    steps: list[tuple[int, int]] = []
    pruned = prune(now=NOW, days=400, progress=lambda *step: steps.append(step))
    assert pruned.deliveries == 35
    assert kept() == set(young)
    assert [total for _done, total in steps] == [young[-1]] * len(steps)
    assert [done for done, _total in steps] == sorted(done for done, _total in steps)
    # It stops at the first batch that is too young, long before the end of the ledger.
    assert steps[-1][0] < young[-1]


def test_a_dry_run_counts_and_removes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    ended(3, 401)
    ended(2, 399)
    event_of(None, 401)
    assert json.loads(told("--dry-run", "--json", capsys=capsys)) == {
        "deliveries": 3, "events": 1, "days": 400, "dry_run": True,
    }  # fmt: skip
    assert len(kept()) == 5
    table = " ".join(told("--dry-run", capsys=capsys).split())
    assert "would be removed: what ended more than 400 days ago" in table
    assert "│ deliveries │ 3 │ │ events without a delivery │ 1 │" in table


def test_the_command_takes_the_days_of_the_limits_or_its_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ended(1, 20)
    ended(1, 40)
    set_limits(retention_days=30)
    answer: dict[str, Any] = json.loads(told("--json", capsys=capsys))
    assert (answer["deliveries"], answer["days"]) == (1, 30)
    assert json.loads(told("--json", "--days", "10", capsys=capsys))["deliveries"] == 1
    assert kept() == set()


@pytest.mark.parametrize("days", ["0", "-5", "6", "99999"])
def test_days_out_of_bounds_are_refused(days: str) -> None:
    ended(1, 500)
    with pytest.raises(CommandError, match="between 7 and 3650"):
        call_command("prune", "--days", days)
    assert len(kept()) == 1


def test_beat_prunes_every_night_what_the_limits_say() -> None:
    entry = PeriodicTask.objects.get(task="notifications.tasks.prune")
    assert entry.enabled
    assert (entry.crontab.hour, entry.crontab.day_of_month) == ("3", "*")
    ended(1, 401)
    prune_task()
    assert kept() == set()
