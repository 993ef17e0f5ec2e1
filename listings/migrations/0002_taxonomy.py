"""Fill industries, regions and exchange rates: a marketplace without them cannot be used."""

from decimal import Decimal

from django.db import migrations

from listings.taxonomy import industries, regions

# Starting values, late in 2026; operators keep them up to date in the admin.
EUROS_PER_UNIT = {"EUR": "1", "CHF": "1.07", "USD": "0.86", "GBP": "1.14"}


def fill(apps, schema_editor):
    _fill_tree(apps.get_model("listings", "Industry"), industries())
    _fill_tree(apps.get_model("listings", "Region"), regions())
    ExchangeRate = apps.get_model("listings", "ExchangeRate")
    for currency, euros in EUROS_PER_UNIT.items():
        ExchangeRate.objects.get_or_create(currency=currency, defaults={"euros": Decimal(euros)})


def _fill_tree(Model, nodes):
    """Parents stand before children; what exists gets today's names."""
    Model.objects.bulk_create(
        [
            Model(
                code=node.code,
                parent_id=node.parent_code,
                name_en=node.name_en,
                name_de=node.name_de,
                name_hr=node.name_hr,
            )
            for node in nodes
        ],
        update_conflicts=True,
        unique_fields=["code"],
        update_fields=["parent", "name_en", "name_de", "name_hr"],
    )


class Migration(migrations.Migration):
    dependencies = [("listings", "0001_initial")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
