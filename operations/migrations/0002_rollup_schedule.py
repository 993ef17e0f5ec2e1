"""Have beat keep the dashboard's figures. Operators may change that in the admin."""

from django.db import migrations
from django.utils import timezone

ENTRIES = [
    (
        "Count hourly figures", "operations.tasks.roll_up", 60,
        "Counts for the dashboard what became of messages. Harmless at any pace.",
    ),
    (
        "Count mails per person and day", "operations.tasks.roll_up_person_days", 600,
        "Counts for the dashboard how many mails people got each day. Harmless at any pace.",
    ),
]


def add_schedule(apps, schema_editor):
    """Entries of these names stay as an operator left them."""
    IntervalSchedule = apps.get_model("django_celery_beat", "IntervalSchedule")
    PeriodicTask = apps.get_model("django_celery_beat", "PeriodicTask")
    for name, task, seconds, description in ENTRIES:
        if PeriodicTask.objects.filter(name=name).exists():
            continue
        period = {"every": seconds, "period": "seconds"}
        interval = IntervalSchedule.objects.filter(**period).first()
        PeriodicTask.objects.create(
            name=name,
            task=task,
            interval=interval or IntervalSchedule.objects.create(**period),
            # A count that could not run in time is done by the next one.
            expire_seconds=seconds,
            description=description,
        )
    tell_beat(apps)


def remove_schedule(apps, schema_editor):
    """Take the entries away; their intervals may serve other entries."""
    names = [name for name, _task, _seconds, _description in ENTRIES]
    apps.get_model("django_celery_beat", "PeriodicTask").objects.filter(name__in=names).delete()
    tell_beat(apps)


def tell_beat(apps):
    """A beat that is running reads its schedule again; a migration sends it no signals."""
    PeriodicTasks = apps.get_model("django_celery_beat", "PeriodicTasks")
    PeriodicTasks.objects.update_or_create(ident=1, defaults={"last_update": timezone.now()})


class Migration(migrations.Migration):
    dependencies = [
        ("operations", "0001_initial"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
    ]

    operations = [migrations.RunPython(add_schedule, remove_schedule)]
