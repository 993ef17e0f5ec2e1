"""`Company.save` keeps freshness true, whoever calls it."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError

from listings.models import Company, CompanyStatus
from tests.factories import CompanyFactory

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def now() -> datetime:
    return datetime.now(UTC)


def test_a_new_company_is_as_fresh_as_its_publication() -> None:
    at = now() - 5 * HOUR
    assert CompanyFactory(published_at=at).fresh_at == at


def test_saving_only_the_price_stores_the_freshness_too() -> None:
    company = Company.objects.get(pk=CompanyFactory(published_at=now() - 5 * HOUR).pk)
    company.price = Decimal(1000)
    company.save(update_fields=["price"])
    stored = Company.objects.get(pk=company.pk)
    assert stored.fresh_at is not None
    assert stored.fresh_at > now() - HOUR
    assert (stored.fresh_reason, stored.price_before) == ("price_cut", Decimal(500_000))
    assert stored.price_eur == Decimal(1000)


def test_a_second_cut_names_the_price_just_before() -> None:
    company = CompanyFactory()
    for price in (400, 300):
        company.price = Decimal(price)
        company.save()
    assert company.price_before == Decimal(400)


def test_a_price_that_rose_again_is_not_called_lowered() -> None:
    company = CompanyFactory()
    company.price = Decimal(400_000)
    company.save()
    company.price = Decimal(450_000)
    company.save()
    stored = Company.objects.get()
    assert (stored.fresh_reason, stored.price_before) == ("price_cut", Decimal(500_000))
    stored.price = Decimal(600_000)
    stored.save(update_fields=["price"])
    stored = Company.objects.get()
    assert (stored.fresh_reason, stored.price_before) == ("published", None)


def test_a_cut_with_another_currency_is_news() -> None:
    company = CompanyFactory(published_at=now() - 5 * HOUR)
    company.price, company.currency = Decimal(100_000), "CHF"
    company.save()
    assert company.fresh_at is not None
    assert company.fresh_at > now() - HOUR
    assert (company.fresh_reason, company.price_before) == ("price_cut", None)


@pytest.mark.parametrize("days", [-1, 2])
def test_a_publication_moved_to_another_day_moves_the_freshness(days: int) -> None:
    company = CompanyFactory(published_at=now() + timedelta(days=9))
    company.published_at = now() + timedelta(days=days)
    company.save()
    assert company.fresh_at is not None
    expected = max(company.published_at, now())
    assert abs(company.fresh_at - expected) < timedelta(seconds=5)


def test_withdrawn_and_published_again_is_news() -> None:
    company = CompanyFactory(published_at=now() - 5 * HOUR)
    company.status = CompanyStatus.WITHDRAWN
    company.save()
    before = company.fresh_at
    company.status = CompanyStatus.PUBLISHED
    company.save()
    assert before is not None
    assert company.fresh_at is not None
    assert company.fresh_at > before


def test_a_price_of_zero_or_below_is_refused_by_form_and_schema() -> None:
    company = CompanyFactory()
    company.price = Decimal(0)
    with pytest.raises(ValidationError, match="above zero"):
        company.full_clean()
    with pytest.raises(IntegrityError):
        company.save()


def test_a_draft_is_not_published_and_a_publication_ahead_is_not_yet() -> None:
    CompanyFactory(status=CompanyStatus.DRAFT)
    CompanyFactory(published_at=now() + HOUR)
    seen = CompanyFactory(published_at=now() - HOUR)
    assert list(Company.objects.published(now())) == [seen]
