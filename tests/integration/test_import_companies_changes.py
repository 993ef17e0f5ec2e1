"""What a changed row makes of its company, and when that is news."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from listings.models import Company, ExchangeRate, Industry
from tests.factories.feeds import HEADER, NOW, company, counts, fill_taxonomies, imported
from tests.factories.people import UserFactory

LATER = NOW + timedelta(days=1)
ROW = "1;Mill;C16;DE-BY;500000;2026-11-01;published\n"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _taxonomies(db: None) -> None:
    fill_taxonomies()


def changed(before: str, after: str) -> Company:
    """The company after a feed with each row was imported, a day apart."""
    imported(HEADER + before, NOW)
    summary, problems = imported(HEADER + after, LATER)
    assert (problems, counts(summary) | {"scheduled": 0}) == (
        [], {"rows": 1, "updated": 1, "scheduled": 0},
    )  # fmt: skip
    return company("1")


def test_a_company_new_to_the_marketplace_is_news_now_however_old_its_date() -> None:
    imported(HEADER + ROW, NOW)
    stored = company("1")
    assert stored.published_at == datetime(2026, 10, 31, 23, tzinfo=UTC)
    assert (stored.fresh_at, stored.fresh_reason) == (NOW, "published")


def test_a_price_cut_is_news_and_remembers_the_price_before() -> None:
    stored = changed(ROW, ROW.replace("500000", "450000"))
    assert (stored.price, stored.price_eur) == (Decimal("450000.00"), Decimal("450000.00"))
    assert (stored.fresh_at, stored.fresh_reason) == (LATER, "price_cut")
    assert stored.price_before == Decimal("500000.00")


@pytest.mark.parametrize(
    ("old", "new"),
    [("500000", "550000"), ("Mill", "Saw mill"), ("2026-11-01", "2026-11-20"), ("500000", "VB")],
)
def test_a_price_rise_another_text_or_another_date_is_no_news(old: str, new: str) -> None:
    stored = changed(ROW, ROW.replace(old, new))
    assert (stored.fresh_at, stored.fresh_reason) == (NOW, "published")
    assert stored.price_before is None


@pytest.mark.parametrize(
    ("old", "new", "reason"), [("C16", "C31", "industry"), ("DE-BY", "DE-BW", "region")]
)
def test_a_corrected_industry_or_region_is_news(old: str, new: str, reason: str) -> None:
    stored = changed(ROW, ROW.replace(old, new))
    assert (stored.fresh_at, stored.fresh_reason) == (LATER, reason)


def test_a_draft_published_later_is_news_from_then_on() -> None:
    imported(HEADER + ROW.replace("published", "draft"), NOW)
    assert (company("1").published_at, company("1").fresh_at) == (None, None)
    imported(HEADER + ROW, LATER)
    assert company("1").fresh_at == LATER


def test_a_company_back_after_its_withdrawal_is_news_again() -> None:
    stored = changed(ROW.replace("published", "sold"), ROW)
    assert (stored.status, stored.fresh_at, stored.fresh_reason) == (
        "published", LATER, "published",
    )  # fmt: skip


def test_without_a_date_a_company_is_published_at_its_first_import_and_stays_so() -> None:
    undated = ROW.replace("2026-11-01", "")
    imported(HEADER + undated, NOW)
    summary, _ = imported(HEADER + undated, LATER)
    assert counts(summary) == {"rows": 1, "unchanged": 1}
    assert (company("1").published_at, company("1").fresh_at) == (NOW, NOW)


def test_a_company_scheduled_for_later_is_news_only_then() -> None:
    summary, _ = imported(HEADER + ROW.replace("2026-11-01", "2026-12-24"), NOW)
    assert counts(summary) == {"rows": 1, "created": 1, "scheduled": 1}
    christmas = datetime(2026, 12, 23, 23, tzinfo=UTC)
    assert (company("1").published_at, company("1").fresh_at) == (christmas, christmas)
    assert not Company.objects.published(NOW).exists()
    assert Company.objects.published(christmas).count() == 1


def test_a_schedule_moved_forward_moves_the_news_too() -> None:
    stored = changed(
        ROW.replace("2026-11-01", "2026-12-24"), ROW.replace("2026-11-01", "2026-12-10")
    )
    assert stored.fresh_at == stored.published_at == datetime(2026, 12, 9, 23, tzinfo=UTC)


def test_a_scheduled_company_published_at_once_is_news_at_once() -> None:
    assert changed(ROW.replace("2026-11-01", "2026-12-24"), ROW).fresh_at == LATER


def test_a_published_company_put_off_is_news_when_it_comes_back() -> None:
    stored = changed(ROW, ROW.replace("2026-11-01", "2026-12-24"))
    assert stored.fresh_at == stored.published_at == datetime(2026, 12, 23, 23, tzinfo=UTC)


def test_a_seller_is_put_on_all_companies_and_left_alone_when_not_named() -> None:
    seller = UserFactory.create()
    imported(HEADER + ROW, NOW, seller_id=seller.pk)
    summary, _ = imported(HEADER + ROW, LATER)
    assert counts(summary) == {"rows": 1, "unchanged": 1}
    assert company("1").seller_id == seller.pk


def test_the_same_id_in_another_feed_is_another_company() -> None:
    imported(HEADER + ROW, NOW, source="agency")
    imported(HEADER + ROW.replace("Mill", "Bakery"), NOW, source="broker")
    assert company("1", "agency").title == "Mill"
    assert company("1", "broker").title == "Bakery"


def test_a_price_in_a_currency_without_a_rate_costs_its_own_row_only() -> None:
    ExchangeRate.objects.filter(currency="CHF").delete()
    content = HEADER + ROW.replace("500000", "CHF 500000") + ROW.replace("1;", "2;", 1)
    summary, problems = imported(content)
    assert counts(summary) == {"rows": 2, "created": 1, "errors": 1}
    assert problems == ["line 2: no exchange rate for CHF is stored; set it in the admin"]


def test_an_industry_the_marketplace_lacks_costs_its_own_row_only() -> None:
    Industry.objects.filter(code="C16").delete()
    summary, problems = imported(HEADER + ROW + ROW.replace("1;", "2;", 1).replace("C16", "C31"))
    assert counts(summary) == {"rows": 2, "created": 1, "errors": 1}
    assert problems == ["line 2: this marketplace has no industry C16"]


def test_a_dry_run_says_the_same_and_writes_nothing() -> None:
    imported(HEADER + ROW + ROW.replace("1;", "2;", 1), NOW)
    content = HEADER + ROW.replace("500000", "1") + ROW.replace("1;", "3;", 1) + "4;x;C16;DE-XX;;;"
    before = list(Company.objects.order_by("pk").values())
    told = imported(content, LATER, dry_run=True, withdraw_missing=True)
    assert list(Company.objects.order_by("pk").values()) == before
    assert told == imported(content, LATER, withdraw_missing=True)
    assert counts(told[0]) == {
        "rows": 3, "created": 1, "updated": 1, "withdrawn": 1, "errors": 1,
    }  # fmt: skip
