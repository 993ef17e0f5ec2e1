"""Beat's tables hold the four tiers and the sweep, and operators may change them (A2)."""

import importlib

import pytest
from django.apps import apps
from django.db import connection
from django_celery_beat.models import PeriodicTask

from config.celery import app

pytestmark = pytest.mark.django_db

TASKS = {
    "agents.tasks.report_hourly", "agents.tasks.report_daily",
    "agents.tasks.report_weekly", "agents.tasks.report_monthly",
    "notifications.tasks.sweep",
}  # fmt: skip


def test_every_task_of_the_schedule_exists_and_is_switched_on() -> None:
    app.loader.import_default_modules()
    scheduled = PeriodicTask.objects.filter(enabled=True).values_list("task", flat=True)
    assert set(scheduled) >= TASKS
    assert set(app.tasks) >= TASKS


def test_the_tiers_wait_in_the_queue_of_reports() -> None:
    app.loader.import_default_modules()
    for task in sorted(TASKS):
        queue = app.amqp.router.route({}, task)["queue"].name
        assert queue == ("reports" if task.startswith("agents") else "default")
    assert app.amqp.router.route({}, "notifications.tasks.send_batch")["queue"].name == "mail"


def test_migrating_again_does_not_undo_what_an_operator_changed() -> None:
    task = PeriodicTask.objects.get(task="agents.tasks.report_daily")
    task.enabled = False
    task.save()
    migration = importlib.import_module("agents.migrations.0003_beat_schedule")
    migration.create_schedule(apps, connection.schema_editor())
    task.refresh_from_db()
    assert task.enabled is False
    assert PeriodicTask.objects.filter(task="agents.tasks.report_daily").count() == 1
