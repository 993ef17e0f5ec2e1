import django.contrib.postgres.indexes
import django.contrib.postgres.search
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations


class Migration(migrations.Migration):
    # Concurrently: nobody who writes waits for it.
    atomic = False


    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('marketplace', '0005_see_limit_changes'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='user',
            index=django.contrib.postgres.indexes.GinIndex(django.contrib.postgres.search.SearchVector('name', 'email', config='simple'), name='user_words'),
        ),
    ]
