"""The groups viewer, operator and admin, with what each may do in the admin."""

from django.db import migrations

from marketplace.roles import grant_roles


def make_roles(apps, schema_editor):
    grant_roles(apps)


class Migration(migrations.Migration):
    dependencies = [
        ("marketplace", "0003_promotion_consent"),
        ("account", "0001_initial"),
        ("agents", "0008_muted_company"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("django_celery_beat", "0018_improve_crontab_helptext"),
        ("listings", "0005_price_orders"),
        ("notifications", "0009_handed_over_index"),
    ]
    operations = [migrations.RunPython(make_roles, migrations.RunPython.noop)]
