from django.conf import settings
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    # Concurrently: nobody who writes waits for it.
    atomic = False


    dependencies = [
        ('listings', '0005_price_orders'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='company',
            index=models.Index(condition=models.Q(('status', 'published'), _negated=True), fields=['status', '-id'], name='company_unpublished'),
        ),
        AddIndexConcurrently(
            model_name='company',
            index=models.Index(condition=models.Q(('currency', 'EUR'), _negated=True), fields=['currency', '-id'], name='company_other_currency'),
        ),
    ]
