"""The dashboard's hourly figures say what the ledger says, and outlive it."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime, timedelta
from importlib import import_module
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import connection
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from notifications.models import Delivery, DeliveryEvent
from notifications.pruning import prune
from operations.models import HourlyFigures, RollupProgress
from operations.rollup import roll_up
from operations.rollup.hours import LOCK
from operations.tasks import roll_up as task

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 12, 2, 12, 30, tzinfo=UTC)
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
ARRIVED = {"delivered", "opened", "clicked", "complained", "unsubscribed"}
COUNTED = ("sent", "delivered", "opened", "clicked", "bounced", "complained", "unsubscribed")
Key = tuple[datetime, str, str, str]


def delivery(at: datetime, state: str = "sent", **fields: object) -> Delivery:
    values: dict[str, object] = {
        "idempotency_key": str(uuid4()), "kind": "digest", "address": "a@example.com",
        "provider": "sendgrid", "created_at": at, "dispatched_at": at, "finished_at": at,
        "state": state, **fields,
    }  # fmt: skip
    if state == "dispatching":
        values |= {"lease_token": uuid4(), "lease_expires_at": at}
    return Delivery.objects.create(**values)


def event(of: Delivery, kind: str) -> DeliveryEvent:
    return DeliveryEvent.objects.create(
        provider="sendgrid", provider_event_id=str(uuid4()), kind=kind, delivery=of, happened_at=NOW
    )


def stored() -> dict[Key, dict[str, int]]:
    """The figures that are not zero."""
    return {
        (row.hour, row.kind, row.channel, row.provider): figures
        for row in HourlyFigures.objects.all()
        if (figures := {name: value for name in COUNTED if (value := getattr(row, name))})
    }


def counted_one_by_one(until: datetime) -> dict[Key, dict[str, int]]:
    """The same, by reading every row of the ledger."""
    found: dict[Key, Counter[str]] = {}
    for row in Delivery.objects.filter(state="sent", dispatched_at__lt=until):
        assert row.dispatched_at is not None
        hour = row.dispatched_at.replace(minute=0, second=0, microsecond=0)
        figures = found.setdefault((hour, row.kind, row.channel, row.provider), Counter())
        kinds = {entry.kind for entry in row.events.all()}
        figures["sent"] += 1
        figures["delivered"] += bool(kinds & ARRIVED)
        for name in COUNTED[2:]:
            figures[name] += name in kinds
    return {
        key: {name: value for name, value in figures.items() if value}
        for key, figures in found.items()
    }


def fill(chance: random.Random, count: int) -> list[Delivery]:
    rows = [
        delivery(
            NOW - timedelta(seconds=chance.randrange(-60, 40 * 24 * 3600)),
            chance.choices(
                ["sent", "uncertain", "dispatching", "dead", "cancelled"], [80, 5, 5, 5, 5]
            )[0],
            kind=chance.choice(["digest", "account"]),
            channel=chance.choice(["email", "email", "sms"]),
            provider=chance.choice(["sendgrid", "smtp", "twilio", ""]),
        )
        for _ in range(count)
    ]
    for row in rows:
        for _ in range(chance.randrange(4)):
            event(row, chance.choice([*sorted(ARRIVED), "bounced", "deferred", "accepted"]))
    return rows


@pytest.mark.parametrize("seed", range(3))
def test_the_figures_are_those_of_the_ledger_counted_one_by_one(seed: int) -> None:
    chance = random.Random(seed)
    rows = fill(chance, 150)
    roll_up(now=NOW)
    assert stored() == counted_one_by_one(NOW)
    for passes in range(1, 6):
        now = NOW + passes * 20 * MINUTE
        for row in chance.sample(rows, 20):
            event(row, chance.choice(sorted(ARRIVED)))
        for row in chance.sample(rows, 10):
            if row.state in ("uncertain", "dispatching"):
                row.state = "sent"
                row.save()
        rows += [delivery(now - chance.randrange(15) * MINUTE) for _ in range(5)]
        roll_up(now=now)
        assert stored() == counted_one_by_one(now)


def test_counting_again_changes_nothing() -> None:
    fill(random.Random(7), 60)
    roll_up(now=NOW)
    first = list(HourlyFigures.objects.order_by("pk").values())
    for _ in range(3):
        roll_up(now=NOW)
    RollupProgress.objects.all().delete()
    roll_up(now=NOW)
    assert list(HourlyFigures.objects.order_by("pk").values()) == first


def test_a_late_event_counts_in_the_hour_of_its_mail() -> None:
    mail = delivery(NOW - 20 * 24 * HOUR)
    roll_up(now=NOW)
    roll_up(now=NOW + HOUR)
    event(mail, "opened")
    event(mail, "opened")
    assert roll_up(now=NOW + 2 * HOUR) == 4  # its own, and those since the hour before the last
    [figures] = stored().values()
    assert figures == {"sent": 1, "delivered": 1, "opened": 1}


def test_an_event_with_a_smaller_number_that_is_committed_later_is_not_missed() -> None:
    mail = delivery(NOW - 48 * HOUR)
    early, late = (event(mail, kind) for kind in ("clicked", "opened"))
    DeliveryEvent.objects.filter(pk=early.pk).delete()
    roll_up(now=NOW)
    roll_up(now=NOW + 5 * MINUTE)
    early.pk = late.pk - 1
    early.save(force_insert=True)
    roll_up(now=NOW + 9 * MINUTE)
    assert list(stored().values()) == [{"sent": 1, "delivered": 1, "opened": 1, "clicked": 1}]


def test_a_doubt_that_is_settled_weeks_later_counts_in_its_hour() -> None:
    mail = delivery(NOW - 20 * 24 * HOUR, "uncertain")
    roll_up(now=NOW)
    assert stored() == {}
    assert HourlyFigures.objects.get().unsettled == 1
    Delivery.objects.filter(pk=mail.pk).update(state="sent", finished_at=NOW)
    roll_up(now=NOW + HOUR)
    assert list(stored().values()) == [{"sent": 1}]
    assert HourlyFigures.objects.get().unsettled == 0


def test_one_that_is_sent_again_leaves_its_first_hour() -> None:
    mail = delivery(NOW - 20 * 24 * HOUR, "uncertain")
    roll_up(now=NOW)
    Delivery.objects.filter(pk=mail.pk).update(state="sent", dispatched_at=NOW)
    roll_up(now=NOW + HOUR)
    assert {key[0]: figures for key, figures in stored().items()} == {
        datetime(2026, 12, 2, 12, tzinfo=UTC): {"sent": 1}
    }
    assert not HourlyFigures.objects.filter(unsettled__gt=0).exists()


def test_what_is_handed_over_after_the_count_is_left_for_the_next_one() -> None:
    delivery(NOW)
    roll_up(now=NOW)
    assert stored() == {}
    roll_up(now=NOW + MINUTE)
    assert list(stored().values()) == [{"sent": 1}]


def test_figures_of_pruned_deliveries_stay() -> None:
    kept = [delivery(NOW - 40 * 24 * HOUR, finished_at=NOW) for _ in range(2)]
    for row in [*kept, *(delivery(NOW - 40 * 24 * HOUR) for _ in range(3))]:
        event(row, "clicked")
    roll_up(now=NOW)
    before = stored()
    assert list(before.values()) == [{"sent": 5, "delivered": 5, "clicked": 5}]
    assert prune(now=NOW, days=30).deliveries == 3
    event(kept[0], "delivered")
    roll_up(now=NOW + HOUR)
    assert stored() == before
    assert prune(now=NOW + 40 * 24 * HOUR, days=30).deliveries == 2
    RollupProgress.objects.all().delete()
    roll_up(now=NOW + 41 * 24 * HOUR)
    assert stored() == before


def test_an_empty_ledger_is_counted() -> None:
    assert roll_up(now=NOW) == 0
    assert stored() == {}
    progress = RollupProgress.current()
    assert progress is not None
    assert progress.counted_until == NOW


def test_a_second_count_at_the_same_time_leaves_it_to_the_first() -> None:
    delivery(NOW - HOUR)
    with closing(connection.copy()) as other, other.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        assert roll_up(now=NOW) == 0
        assert RollupProgress.current() is None
    assert roll_up(now=NOW) == 2


def test_the_task_counts_until_now() -> None:
    delivery(datetime.now(UTC) - timedelta(seconds=5))
    task()
    assert list(stored().values()) == [{"sent": 1}]


def test_the_schedule_is_made_once_and_left_as_operators_set_it() -> None:
    migration = import_module("operations.migrations.0002_rollup_schedule")
    migration.remove_schedule(apps, None)
    assert not PeriodicTask.objects.filter(task__startswith="operations.tasks.roll_up").exists()
    migration.add_schedule(apps, None)
    entries = PeriodicTask.objects.filter(task__startswith="operations.tasks.roll_up")
    assert sorted(entries.values_list("task", "interval__every", "enabled")) == [
        ("operations.tasks.roll_up", 60, True),
        ("operations.tasks.roll_up_person_days", 600, True),
    ]
    slower = IntervalSchedule.objects.create(every=7, period="minutes")
    entries.update(interval=slower, enabled=False)
    migration.add_schedule(apps, None)
    assert list(entries.values_list("interval", "enabled")) == [(slower.pk, False)] * 2
