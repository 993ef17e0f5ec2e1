"""Everybody with a role may look at the history of limits."""

from django.db import migrations

from marketplace.roles import grant_roles


def grant(apps, schema_editor):
    grant_roles(apps)


class Migration(migrations.Migration):
    dependencies = [
        ("marketplace", "0004_roles"),
        ("notifications", "0010_limit_changes"),
    ]
    operations = [migrations.RunPython(grant, migrations.RunPython.noop)]
