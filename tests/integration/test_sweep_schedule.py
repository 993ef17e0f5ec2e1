"""The schedule of the sweep: made by the migration, and left as operators set it."""

from importlib import import_module

import pytest
from django.apps import apps
from django_celery_beat.models import IntervalSchedule, PeriodicTask

pytestmark = pytest.mark.django_db
migration = import_module("notifications.migrations.0002_sweep_schedule")
NAME = "Sweep open deliveries"


@pytest.fixture(autouse=True)
def _made_by_the_migration() -> None:
    PeriodicTask.objects.filter(name=NAME).delete()
    migration.add_schedule(apps, None)


def test_beat_sweeps_every_ten_seconds() -> None:
    entry = PeriodicTask.objects.get(name=NAME)
    assert (entry.task, entry.enabled) == ("notifications.tasks.sweep", True)
    assert (entry.interval.every, entry.interval.period) == (10, "seconds")


def test_migrating_again_keeps_what_an_operator_changed() -> None:
    minute = IntervalSchedule.objects.create(every=1, period="minutes")
    PeriodicTask.objects.filter(name=NAME).update(interval=minute, enabled=False)
    migration.add_schedule(apps, None)
    entry = PeriodicTask.objects.get(name=NAME)
    assert (entry.interval, entry.enabled) == (minute, False)


def test_migrating_back_removes_it() -> None:
    migration.remove_schedule(apps, None)
    assert not PeriodicTask.objects.filter(name=NAME).exists()
