"""Keys of welcome mails name the sign-up beside the person's id, as new ones do.

Without it a person who was welcomed before this version could be welcomed again.
"""

from django.db import migrations

RENAME = """
UPDATE notifications_delivery AS delivery
SET idempotency_key = 'welcome:' || person.id || '.'
    || (extract(epoch FROM person.date_joined) * 1000000)::bigint
FROM marketplace_user AS person
WHERE delivery.kind = 'welcome' AND delivery.user_id = person.id
  AND delivery.idempotency_key = 'welcome:' || person.id
"""
RENAME_BACK = """
UPDATE notifications_delivery SET idempotency_key = split_part(idempotency_key, '.', 1)
WHERE kind = 'welcome' AND idempotency_key LIKE 'welcome:%.%'
"""


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0010_reported_company_unchecked"),
        ("notifications", "0001_initial"),
        ("marketplace", "0001_initial"),
    ]
    operations = [migrations.RunSQL(RENAME, RENAME_BACK)]
