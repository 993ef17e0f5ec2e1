"""Indexes for pages sorted by price, a price on request last, and for price ranges."""

from decimal import Decimal

from django.db import migrations, models
from django.db.models.functions import Coalesce


def sorted_by_price(unpriced: int, name: str) -> migrations.AddIndex:
    return migrations.AddIndex(
        model_name="company",
        index=models.Index(
            Coalesce("price_eur", models.Value(Decimal(unpriced))),
            models.F("id"),
            condition=models.Q(("status", "published")),
            name=name,
        ),
    )


class Migration(migrations.Migration):
    dependencies = [("listings", "0004_enquiry")]

    operations = [
        sorted_by_price(10**14, "company_published_cheapest"),
        sorted_by_price(0, "company_published_dearest"),
        migrations.AddIndex(
            model_name="company",
            index=models.Index(
                fields=["price_eur"],
                condition=models.Q(("status", "published")),
                name="company_published_price",
            ),
        ),
    ]
