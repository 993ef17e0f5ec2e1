"""Beat's schedule in the admin's design: periodic tasks and the times they name."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _
from django_celery_beat import admin as beat_admin
from django_celery_beat.models import (
    ClockedSchedule,
    CrontabSchedule,
    IntervalSchedule,
    PeriodicTask,
    SolarSchedule,
)
from unfold.decorators import display
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from marketplace.admin import ShortListAdmin


def next_firing(task: PeriodicTask, now: datetime) -> datetime | None:
    """When beat fires the task next; None where nobody can say (a single moment that has passed).

    An interval counts from the last firing, everything else from now.
    """
    if task.clocked is not None:
        at: datetime = task.clocked.clocked_time
        return at if at > now else None
    since = now
    if task.interval is not None and task.last_run_at is not None:
        since = task.last_run_at
    schedule = task.schedule
    schedule.nowfun = lambda: now  # or it would ask the clock itself, a moment later
    wait: timedelta = schedule.remaining_estimate(since)
    return now + max(wait, timedelta(0))


class TaskSelect(UnfoldAdminSelectWidget, beat_admin.TaskSelectWidget):
    """The tasks the code offers."""


class PeriodicTaskForm(beat_admin.PeriodicTaskForm):
    """Beat's form with the admin's widgets."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["task"].widget = UnfoldAdminTextInputWidget()
        self.fields["regtask"].widget = TaskSelect()


class PeriodicTaskAdmin(beat_admin.PeriodicTaskAdmin, ShortListAdmin):
    """What is fired when; a change is in force within seconds."""

    form = PeriodicTaskForm
    list_display = ("name", "enabled", "scheduler", "next_firing", "last_run_at")
    list_filter = ("enabled",)
    date_hierarchy = None

    @display(description=_("next firing"))
    def next_firing(self, task: PeriodicTask) -> str:
        """In the time zone of whoever looks."""
        at = next_firing(task, timezone.now()) if task.enabled else None
        return date_format(timezone.localtime(at), "DATETIME_FORMAT") if at else "–"

    def get_actions(self, request: HttpRequest) -> Any:
        """The package's actions ask for no right: who may not change tasks gets none of them."""
        return super().get_actions(request) if self.has_change_permission(request) else {}


class CrontabAdmin(beat_admin.CrontabScheduleAdmin, ShortListAdmin):
    """Times by minute, hour and day; the tasks of each are found in the list of tasks."""

    inlines = ()


class PlainScheduleAdmin(ShortListAdmin):
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
