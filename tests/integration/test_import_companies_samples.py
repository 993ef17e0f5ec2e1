"""Feeds as agencies really send them: what each row becomes."""

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from listings.models import Company
from tests.factories.feeds import company, counts, fill_taxonomies, imported

FEEDS = Path(__file__).parent / "feeds"
EXAMPLE = Path(__file__).parents[2] / "docs" / "example-feed.csv"
NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _taxonomies(db: None) -> None:
    fill_taxonomies()


def rows() -> list[tuple[Any, ...]]:
    """What stands in the database, by external id."""
    return list(
        Company.objects.order_by("external_id").values_list(
            "external_id", "title", "industry_id", "region_id", "price", "currency", "status",
            "published_at",
        )
    )  # fmt: skip


def test_a_german_agencys_feed_in_windows_1252_goes_in_row_by_row() -> None:
    summary, problems = imported((FEEDS / "agency_windows1252.csv").read_bytes(), NOW)
    assert counts(summary) == {
        "rows": 10, "created": 7, "superseded": 1, "errors": 2, "notes": 1,
    }  # fmt: skip
    assert rows() == [
        ("A-1", "Schlosserei am Stadtrand", "C25", "DE-SN", Decimal("2400000.75"), "EUR",
         "published", datetime(2026, 10, 12, 15, 45, tzinfo=UTC)),
        ("A-2", 'Konditorei "Süße & Söhne"', "C10", "DE-HH", Decimal("360000.00"), "EUR",
         "published", datetime(2026, 10, 13, 8, tzinfo=UTC)),
        ("A-3", "Steuerkanzlei für Handwerker", "M69", "DE-HE", Decimal("1800000.00"), "EUR",
         "published", datetime(2026, 10, 13, 22, tzinfo=UTC)),
        ("A-4", "Pension an der Donau", "I55", "AT-3", None, "EUR",
         "published", datetime(2026, 10, 14, 22, tzinfo=UTC)),
        ("A-5", "Kühlspedition", "H49", "DE-HB", Decimal("2300000.00"), "EUR",
         "published", datetime(2026, 10, 15, 22, tzinfo=UTC)),
        ("A-6", "Uhrenwerkstatt", "C26", "CH-NE", Decimal("540000.00"), "CHF",
         "published", datetime(2026, 10, 16, 22, tzinfo=UTC)),
        ("A-9", "Druckerei", "C18", "DE-TH", Decimal("620000.00"), "EUR", "draft", None),
    ]  # fmt: skip
    assert company("A-1").description == "Zwei Hallen, 900 m²;\nÜbergabe im Frühjahr."
    assert company("A-2").description == "Café mit Garten, Preis gesenkt"
    assert company("A-6").price_eur == Decimal("577800.00")
    assert problems == [
        "line 4, column Inserat-Nr: “A-2” comes again in line 13; the last row counts",
        "line 10, column Veröffentlicht am: “31.04.2026” is no date: no such day or time exists",
        "line 11, column Bundesland: “DE-ZZ” is no region; DE has DE-BB, DE-BE, DE-BW, DE-BY, "
        "DE-HB, DE-HE, DE-HH, DE-MV, DE-NI, DE-NW, DE-RP, DE-SH, DE-SL, DE-SN, DE-ST, DE-TH",
    ]


def test_an_english_feed_with_a_byte_order_mark_goes_in_row_by_row() -> None:
    summary, problems = imported((FEEDS / "offers_utf8_bom.csv").read_bytes(), NOW)
    assert counts(summary) == {"rows": 8, "created": 6, "scheduled": 1, "errors": 2}
    assert rows() == [
        ("E-1", "Boat yard, Zadar", "C30", "HR-13", Decimal("2750000.25"), "EUR", "published",
         datetime(2026, 10, 12, 6, 30, tzinfo=UTC)),
        ("E-2", "Bookshop, Graz", "G47", "AT-6", Decimal("310000.00"), "EUR", "published",
         datetime(2026, 10, 12, 22, tzinfo=UTC)),
        ("E-3", "Sign maker", "C18", "DE-BB", Decimal("85000.00"), "EUR", "published",
         datetime(2026, 10, 13, 22, tzinfo=UTC)),
        ("E-4", "Courier service", "H53", "DE-NI", None, "EUR", "published",
         datetime(2026, 10, 14, 22, tzinfo=UTC)),
        ("E-7", "Camp site, Pula", "I55", "HR-18", Decimal("1900000.00"), "EUR", "published",
         datetime(2026, 12, 30, 23, tzinfo=UTC)),
        ("E-8", "<b>Bold</b> & co", "G47", "DE-BE", Decimal("20000.00"), "EUR", "published",
         datetime(2026, 10, 15, 22, tzinfo=UTC)),
    ]  # fmt: skip
    assert company("E-3").description == '=HYPERLINK("http://evil.example")'
    assert problems == [
        "line 6, column price: “-20” is negative or no single price",
        "line 7, column external_id: is empty",
    ]


@pytest.mark.parametrize("name", ["agency_windows1252.csv", "offers_utf8_bom.csv"])
def test_importing_the_same_feed_again_changes_not_one_value(name: str) -> None:
    content = (FEEDS / name).read_bytes()
    first, _ = imported(content, NOW)
    before = list(Company.objects.order_by("pk").values())
    again, _ = imported(content, datetime(2026, 12, 24, tzinfo=UTC))
    assert list(Company.objects.order_by("pk").values()) == before
    assert (again.created, again.updated, again.unchanged) == (0, 0, first.created)


def test_the_example_of_the_documentation_is_a_good_feed() -> None:
    summary, problems = imported(EXAMPLE.read_bytes(), NOW)
    assert problems == []
    assert counts(summary) == {"rows": 8, "created": 8}
    assert company("MB-2044").region_id == "CH-ZH"
    assert company("MB-2046").price is None
