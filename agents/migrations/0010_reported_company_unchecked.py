import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0009_run_for_one_agent"),
        ("listings", "0003_price_named"),
    ]

    operations = [
        migrations.AlterField(
            model_name="reportedcompany",
            name="company",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="listings.company",
                verbose_name="company",
            ),
        ),
    ]
