"""What people write to sellers."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("listings", "0003_price_named"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Enquiry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("message", models.TextField(max_length=3000, verbose_name="message")),
                ("sent_at", models.DateTimeField(verbose_name="sent")),
                ("company", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="enquiries", to="listings.company", verbose_name="company")),
                ("sender", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="enquiries", to=settings.AUTH_USER_MODEL, verbose_name="sender")),
            ],
            options={
                "verbose_name": "enquiry",
                "verbose_name_plural": "enquiries",
                "indexes": [models.Index(fields=["sender", "-sent_at"], name="enquiry_by_sender")],
                "constraints": [models.CheckConstraint(condition=models.Q(("message", ""), _negated=True), name="enquiry_says_something")],
            },
        ),
    ]
