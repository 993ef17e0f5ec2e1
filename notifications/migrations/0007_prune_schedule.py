"""Have beat prune the ledger once a night. Operators may change that in the admin."""

from django.conf import settings
from django.db import migrations
from django.utils import timezone

NAME = "Prune old deliveries"
TASK = "notifications.tasks.prune"


def add_schedule(apps, schema_editor):
    """An entry of this name stays as an operator left it."""
    CrontabSchedule = apps.get_model("django_celery_beat", "CrontabSchedule")
    PeriodicTask = apps.get_model("django_celery_beat", "PeriodicTask")
    if PeriodicTask.objects.filter(name=NAME).exists():
        return
    at = {
        "minute": "20", "hour": "3", "day_of_week": "*", "day_of_month": "*",
        "month_of_year": "*", "timezone": settings.TIME_ZONE,
    }
    crontab = CrontabSchedule.objects.filter(**at).first()
    PeriodicTask.objects.create(
        name=NAME,
        task=TASK,
        crontab=crontab or CrontabSchedule.objects.create(**at),
        expire_seconds=3600,
        description="Removes deliveries that ended longer ago than the limits say.",
    )
    tell_beat(apps)


def remove_schedule(apps, schema_editor):
    """Take the entry away; the time may serve other entries."""
    apps.get_model("django_celery_beat", "PeriodicTask").objects.filter(name=NAME).delete()
    tell_beat(apps)


def tell_beat(apps):
    """A beat that is running reads its schedule again; a migration sends it no signals."""
    PeriodicTasks = apps.get_model("django_celery_beat", "PeriodicTasks")
    PeriodicTasks.objects.update_or_create(ident=1, defaults={"last_update": timezone.now()})


class Migration(migrations.Migration):
    dependencies = [
        ("notifications", "0006_troubled_deliveries"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
    ]

    operations = [migrations.RunPython(add_schedule, remove_schedule)]
