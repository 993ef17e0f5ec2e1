"""Beat's schedule in the admin's design: periodic tasks and the times they name."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django_celery_beat import admin as beat_admin
from django_celery_beat.models import (
    ClockedSchedule,
    CrontabSchedule,
    IntervalSchedule,
    PeriodicTask,
    SolarSchedule,
)
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from marketplace.admin import ListAdmin


class TaskSelect(UnfoldAdminSelectWidget, beat_admin.TaskSelectWidget):
    """The tasks the code offers."""


class PeriodicTaskForm(beat_admin.PeriodicTaskForm):
    """Beat's form with the admin's widgets."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["task"].widget = UnfoldAdminTextInputWidget()
        self.fields["regtask"].widget = TaskSelect()


class PeriodicTaskAdmin(beat_admin.PeriodicTaskAdmin, ListAdmin):
    """What is fired when; a change is in force within seconds."""

    form = PeriodicTaskForm
    list_display = ("name", "enabled", "scheduler", "last_run_at")
    list_filter = ("enabled",)
    date_hierarchy = None


class CrontabAdmin(beat_admin.CrontabScheduleAdmin, ListAdmin):
    """Times by minute, hour and day; the tasks of each are found in the list of tasks."""

    inlines = ()


class PlainScheduleAdmin(ListAdmin):
    """Intervals, single moments, sunrises."""


for model, model_admin in (
    (PeriodicTask, PeriodicTaskAdmin),
    (CrontabSchedule, CrontabAdmin),
    (IntervalSchedule, PlainScheduleAdmin),
    (ClockedSchedule, PlainScheduleAdmin),
    (SolarSchedule, PlainScheduleAdmin),
):
    admin.site.unregister(model)
    admin.site.register(model, model_admin)
