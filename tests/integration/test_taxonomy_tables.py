"""The tables a fresh marketplace starts with."""

from decimal import Decimal
from importlib import import_module

import pytest
from django.apps import apps

from listings.models import ExchangeRate, Industry, Region
from listings.taxonomy import industries, regions

pytestmark = pytest.mark.django_db


def fill() -> None:
    import_module("listings.migrations.0002_taxonomy").fill(apps, None)


def test_the_migration_fills_industries_and_regions_as_the_taxonomy_says() -> None:
    fill()
    for model, nodes in ((Industry, industries()), (Region, regions())):
        assert list(
            model.objects.order_by("code").values_list(
                "code", "parent_id", "name_en", "name_de", "name_hr"
            )
        ) == sorted((node.code, node.parent_code, *node.names) for node in nodes)


def test_filling_again_corrects_names_and_keeps_the_rates_of_operators() -> None:
    fill()
    Industry.objects.filter(code="C16").update(name_de="Falsch", parent=None)
    ExchangeRate.objects.filter(currency="CHF").update(euros=Decimal("1.2"))
    fill()
    wood = Industry.objects.get(code="C16")
    assert (wood.name_de, wood.parent_id) == (
        "Holz-, Flecht-, Korb- und Korkwaren (ohne Möbel)", "C",
    )  # fmt: skip
    assert ExchangeRate.objects.get(currency="CHF").euros == Decimal("1.2")
    assert set(ExchangeRate.objects.values_list("currency", flat=True)) == {
        "EUR", "CHF", "USD", "GBP",
    }  # fmt: skip
