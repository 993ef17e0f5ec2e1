"""Companies for sale."""

from datetime import UTC, datetime
from decimal import Decimal

import factory

from listings.models import Company, CompanyStatus, Industry, Region


def industry(code: str = "C16") -> Industry:
    """The industry of this code, made with its section where the table lacks it."""
    parent = Industry.objects.get_or_create(code=code[0], defaults=_names(code[0]))[0]
    if len(code) == 1:
        return parent
    return Industry.objects.get_or_create(code=code, defaults={**_names(code), "parent": parent})[0]


def region(code: str = "DE-BY") -> Region:
    """The region of this code, made with its country where the table lacks it."""
    country = code.partition("-")[0]
    parent = Region.objects.get_or_create(code=country, defaults=_names(country))[0]
    if code == country:
        return parent
    return Region.objects.get_or_create(code=code, defaults={**_names(code), "parent": parent})[0]


def _names(code: str) -> dict[str, str]:
    return {f"name_{language}": code for language in ("en", "de", "hr")}


class CompanyFactory(factory.django.DjangoModelFactory[Company]):
    """A published company; `published_at` says since when it is news."""

    class Meta:
        model = Company

    title = factory.Sequence(lambda n: f"Company {n}")
    description = "A going concern."
    industry = factory.LazyFunction(industry)
    region = factory.LazyFunction(region)
    price = Decimal("500000.00")
    status = CompanyStatus.PUBLISHED
    published_at = factory.LazyFunction(lambda: datetime.now(UTC))
