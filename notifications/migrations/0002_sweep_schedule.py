"""Have beat sweep the ledger every ten seconds. Operators may change that in the admin."""

from django.db import migrations
from django.utils import timezone

NAME = "Sweep open deliveries"
TASK = "notifications.tasks.sweep"
EVERY_SECONDS = 10


def add_schedule(apps, schema_editor):
    """An entry of this name stays as an operator left it."""
    IntervalSchedule = apps.get_model("django_celery_beat", "IntervalSchedule")
    PeriodicTask = apps.get_model("django_celery_beat", "PeriodicTask")
    if PeriodicTask.objects.filter(name=NAME).exists():
        return
    period = {"every": EVERY_SECONDS, "period": "seconds"}
    interval = IntervalSchedule.objects.filter(**period).first()
    PeriodicTask.objects.create(
        name=NAME,
        task=TASK,
        interval=interval or IntervalSchedule.objects.create(**period),
        # A sweep that could not run in time is done by the next one.
        expire_seconds=60,
        description="Frees what lost workers held and enqueues what is due. Harmless at any pace.",
    )
    tell_beat(apps)


def remove_schedule(apps, schema_editor):
    """Take the entry away; the interval may serve other entries."""
    apps.get_model("django_celery_beat", "PeriodicTask").objects.filter(name=NAME).delete()
    tell_beat(apps)


def tell_beat(apps):
    """A beat that is running reads its schedule again; a migration sends it no signals."""
    PeriodicTasks = apps.get_model("django_celery_beat", "PeriodicTasks")
    PeriodicTasks.objects.update_or_create(ident=1, defaults={"last_update": timezone.now()})


class Migration(migrations.Migration):
    dependencies = [
        ("notifications", "0001_initial"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
    ]

    operations = [migrations.RunPython(add_schedule, remove_schedule)]
