import django.db.models.functions.text
from django.conf import settings
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    # Concurrently: nobody who writes waits for it.
    atomic = False


    dependencies = [
        ('notifications', '0010_limit_changes'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='delivery',
            index=models.Index(condition=models.Q(('state__in', ['uncertain', 'dead', 'cancelled'])), fields=['state', '-id'], name='delivery_not_sent'),
        ),
        AddIndexConcurrently(
            model_name='delivery',
            index=models.Index(condition=models.Q(('reason', ''), _negated=True), fields=['reason', '-id'], name='delivery_by_reason'),
        ),
        AddIndexConcurrently(
            model_name='delivery',
            index=models.Index(condition=models.Q(('channel', 'email'), _negated=True), fields=['channel', '-id'], name='delivery_other_channel'),
        ),
        AddIndexConcurrently(
            model_name='delivery',
            index=models.Index(django.db.models.functions.text.Lower('address'), condition=models.Q(('user', None)), name='delivery_of_nobody'),
        ),
    ]
