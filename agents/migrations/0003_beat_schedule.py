"""The four tiers in beat's tables, where operators change them in the admin."""

from django.conf import settings
from django.db import migrations

TIERS = [
    ("Hourly search agents", "agents.tasks.report_hourly", "0"),
    ("Daily search agents", "agents.tasks.report_daily", "2"),
    ("Weekly search agents", "agents.tasks.report_weekly", "4"),
    ("Monthly search agents", "agents.tasks.report_monthly", "6"),
]
# Everybody chooses their own hour and time zone, so every tier fires each hour and takes whoever
# is due; the minutes differ so that the tiers do not wait for each other.


def create_schedule(apps, schema_editor):
    crontabs = apps.get_model("django_celery_beat", "CrontabSchedule")
    tasks = apps.get_model("django_celery_beat", "PeriodicTask")
    for name, task, minute in TIERS:
        crontab, _ = crontabs.objects.get_or_create(
            minute=minute, hour="*", day_of_week="*", day_of_month="*", month_of_year="*",
            timezone=settings.TIME_ZONE,
        )
        tasks.objects.get_or_create(
            name=name,
            defaults={
                "task": task, "crontab": crontab, "queue": "reports",
                # A firing that waited an hour is overtaken by the next one.
                "expire_seconds": 3600,
                "description": "Plans one mail for everybody whose search agents are due.",
            },
        )


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0002_digest_section_former_criteria"),
        ("django_celery_beat", "0018_improve_crontab_helptext"),
    ]
    operations = [migrations.RunPython(create_schedule, migrations.RunPython.noop)]
