"""Recognising the columns of a feed."""

import pytest

from listings.feeds.header import (
    Columns,
    detect_delimiter,
    excel_delimiter_hint,
    read_columns,
    require_delimiter,
)
from listings.feeds.problems import UnableToReadFeed

ENGLISH = ["external_id", "title", "industry", "region"]


def field_of(title: str) -> str:
    """The field a column of this title is taken for, empty for none."""
    columns = read_columns([*(name for name in ENGLISH), title], {})
    return next((f for f, place in columns.positions.items() if place == len(ENGLISH)), "")


@pytest.mark.parametrize(
    "titles",
    [
        ["external_id", "title", "industry", "region"],
        ["Angebots-Nr", "Titel", "Branche", "Region"],
        ["ANGEBOTS NR.", " titel ", "Branche", "Bundesland"],
        ["Listing-ID", "Headline", "NACE code", "State"],
        ["Objekt-Nr.", "Überschrift", "Wirtschaftszweig", "Kanton"],
        ["Objektnummer", "Ueberschrift", "WZ-Code", "Standort"],
        ["šifra", "naziv", "djelatnost", "županija"],
    ],
)
def test_required_columns_are_known_by_many_names(titles: list[str]) -> None:
    assert read_columns(titles, {}).positions == {
        "external_id": 0, "title": 1, "industry": 2, "region": 3,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("title", "field"),
    [
        ("Beschreibung", "description"), ("Kaufpreis", "price"), ("asking price", "price"),
        ("Kaufpreis in EUR", "price"), ("Price (CHF)", "price"), ("Währung", "currency"),
        ("Waehrung", "currency"), ("CURRENCY", "currency"), ("Veröffentlicht", "published_at"),
        ("veroeffentlicht am", "published_at"), ("published_at", "published_at"),
        ("Status", "status"), ("Kaufpreis (T€)", ""), ("Umsatz", ""), ("", ""),
    ],
)  # fmt: skip
def test_optional_columns_are_known_by_many_names(title: str, field: str) -> None:
    assert field_of(title) == field


def test_the_price_columns_title_may_name_the_currency() -> None:
    assert read_columns([*ENGLISH, "Price (CHF)"], {}).currency == "CHF"
    assert read_columns([*ENGLISH, "Kaufpreis €"], {}).currency == "EUR"
    assert read_columns([*ENGLISH, "Kaufpreis"], {}).currency == ""


def test_unknown_columns_are_named_as_ignored() -> None:
    columns = read_columns([*ENGLISH, "Umsatz", "", "Makler"], {})
    assert columns.ignored == ("Umsatz", "Makler")


def test_a_missing_required_column_stops_with_what_there_is_and_what_to_do() -> None:
    with pytest.raises(UnableToReadFeed) as refusal:
        read_columns(["id", "Titel", "Umsatz"], {})
    assert str(refusal.value) == (
        "The feed has no column for industry, region. It has “id”, “Titel”, “Umsatz”. "
        "Name the right one with --map 'Title=industry'."
    )


@pytest.mark.parametrize("second", ["title", "Titel", "Überschrift"])
def test_two_columns_for_one_field_stop_the_import(second: str) -> None:
    with pytest.raises(UnableToReadFeed, match=f"2 “title” and 5 “{second}” both hold the title"):
        read_columns([*ENGLISH, second], {})


def test_a_mapping_decides_between_two_columns_for_one_field() -> None:
    columns = read_columns([*ENGLISH, "Titel"], {"titel": "title"})
    assert columns.positions["title"] == 4
    assert columns.ignored == ("title",)


def test_a_mapping_goes_before_what_a_title_seems_to_say() -> None:
    columns = read_columns(["Nr", "Was", "Branche", "Region"], {"WAS": "title"})
    assert columns.positions == {"external_id": 0, "title": 1, "industry": 2, "region": 3}


@pytest.mark.parametrize(
    ("mapping", "reason"),
    [
        ({"Was": "title"}, "the feed has no column “Was”; it has “external_id”, “title”"),
        ({"title": "titel"}, "“titel” is no field; there are external_id, title"),
    ],
)
def test_a_mapping_that_cannot_be_followed_stops_the_import(
    mapping: dict[str, str], reason: str
) -> None:
    with pytest.raises(UnableToReadFeed, match=reason):
        read_columns(ENGLISH, mapping)


@pytest.mark.parametrize(
    ("line", "delimiter"),
    [
        ("id;title;industry;region", ";"),
        ("id,title,industry,region", ","),
        ("id\ttitle\tindustry\tregion", "\t"),
        ('id;"a, b, c, d, e, f";title;industry', ";"),
        ('"id","title","a;b;c;d;e;f;g;h","region"', ","),
        ("Angebots-Nr", ";"),
    ],
)
def test_the_delimiter_is_found_outside_of_quotes(line: str, delimiter: str) -> None:
    assert detect_delimiter(line, {}) == delimiter


def test_excels_hint_line_is_recognised() -> None:
    assert excel_delimiter_hint("sep=|\r\n") == "|"
    assert excel_delimiter_hint("id;title\n") is None


@pytest.mark.parametrize(("given", "delimiter"), [("tab", "\t"), ("\\t", "\t"), ("|", "|")])
def test_an_operator_names_the_delimiter(given: str, delimiter: str) -> None:
    assert require_delimiter(given) == delimiter


@pytest.mark.parametrize("given", ["", ";;", "x", '"'])
def test_what_cannot_delimit_is_refused(given: str) -> None:
    with pytest.raises(UnableToReadFeed, match="is no delimiter"):
        require_delimiter(given)


def test_columns_keep_the_titles_of_the_file() -> None:
    columns = read_columns(["Angebots-Nr", " Titel ", "Branche", "Region"], {})
    assert isinstance(columns, Columns)
    assert columns.title_of("title") == "Titel"
    assert columns.title_of("price") == "price"
