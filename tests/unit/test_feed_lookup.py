"""Industries, regions and statuses by whatever feeds call them."""

import pytest

from listings.feeds.lookup import find_industry, find_region
from listings.feeds.problems import UnableToReadCell
from listings.feeds.statuses import parse_status
from listings.taxonomy import industries, regions


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("C16", "C16"), ("c16", "C16"), ("C 16", "C16"), ("C-16", "C16"), ("C.16", "C16"),
        ("16", "C16"), ("16.1", "C16"), ("16.10", "C16"), ("16.10.0", "C16"), ("1610", "C16"),
        ("C16.10", "C16"), ("C16 - Holz", "C16"), ("C16: Holz und Kork", "C16"), ("1", "A01"),
        ("01.1", "A01"), ("C", "C"), ("g", "G"), ("Maschinenbau", "C28"), ("maschinen-bau", "C28"),
        ("Strojevi i uređaji", "C28"), ("Machinery and Equipment", "C28"),
        ("Ueberwiegend persoenliche Dienstleistungen", "S96"), ("Građevinarstvo", "F"),
        ("Education", "P85"), ("Grundstücks- und Wohnungswesen", "L68"),
    ],
)  # fmt: skip
def test_an_industry_is_found_by_code_or_name(text: str, code: str) -> None:
    assert find_industry(text) == code


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Maschinenbauu", r"no known industry; did you mean C28 \(Machinery and equipment\)\?"),
        ("D16", r"division 16 belongs to section C; did you mean C16 \(Wood and"),
        ("04", "NACE has no division 04"),
        ("V99", "no known industry"),
        ("24 Stunden Pflege", "no known industry"),
        ("161", "no known industry"),
        ("x" * 5000, "no known industry"),
    ],
)
def test_an_unknown_industry_is_refused_with_the_nearest_name(text: str, reason: str) -> None:
    with pytest.raises(UnableToReadCell, match=reason):
        find_industry(text)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("DE-BY", "DE-BY"), ("de-by", "DE-BY"), ("DE_BY", "DE-BY"), ("DE BY", "DE-BY"),
        ("Bayern", "DE-BY"), ("BAVARIA", "DE-BY"), ("Bavarska", "DE-BY"),
        ("Freistaat Bayern", "DE-BY"), ("NRW", "DE-NW"), ("Nordrhein Westfalen", "DE-NW"),
        ("Baden-Wuerttemberg", "DE-BW"), ("DE", "DE"), ("Deutschland", "DE"), ("Germany", "DE"),
        ("Njemačka", "DE"), ("Wien", "AT-9"), ("Beč", "AT-9"), ("Kärnten", "AT-2"),
        ("AT-2", "AT-2"), ("Zürich", "CH-ZH"), ("Kanton Zürich", "CH-ZH"), ("Zuerich", "CH-ZH"),
        ("Berne", "CH-BE"), ("Sankt Gallen", "CH-SG"), ("Kanton Freiburg", "CH-FR"),
        ("HR-1", "HR-01"), ("Split-Dalmatia", "HR-17"), ("Splitsko-dalmatinska", "HR-17"),
        ("Medimurska županija", "HR-20"), ("Grad Zagreb", "HR-21"), ("Zagreb County", "HR-01"),
        ("Istra", "HR-18"),
    ],
)  # fmt: skip
def test_a_region_is_found_by_code_or_name(text: str, code: str) -> None:
    assert find_region(text) == code


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("DE-XX", "“DE-XX” is no region; DE has DE-BB, DE-BE, DE-BW, DE-BY"),
        ("Bavariaa", r"did you mean DE-BY \(Bavaria\)\?"),
        ("Zagreb", r"ambiguous: HR-01 \(Zagreb County\) or HR-21 \(City of Zagreb\)"),
        ("Freiburg", "may be the Swiss canton or the city in Baden"),
        ("US-CA", "no known region"),
        ("Atlantis", "no known region"),
    ],
)
def test_an_unknown_or_ambiguous_region_is_refused_with_what_could_be_meant(
    text: str, reason: str
) -> None:
    with pytest.raises(UnableToReadCell, match=reason):
        find_region(text)


def test_every_code_and_every_unambiguous_name_of_ours_finds_its_node() -> None:
    for node in industries():
        assert find_industry(node.code) == node.code
    for node in regions():
        assert find_region(node.code) == node.code
        for name in set(node.names) - {"Freiburg"}:
            assert find_region(name) == node.code


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("", "published"), ("published", "published"), ("Active", "published"),
        ("aktiv", "published"), ("Veröffentlicht", "published"), ("aktivno", "published"),
        ("draft", "draft"), ("Entwurf", "draft"), ("nacrt", "draft"), ("sold", "withdrawn"),
        ("withdrawn", "withdrawn"), ("verkauft", "withdrawn"), ("ZURÜCKGEZOGEN", "withdrawn"),
        ("zurueckgezogen", "withdrawn"), ("prodano", "withdrawn"),
    ],
)  # fmt: skip
def test_a_status_is_understood_in_three_languages(text: str, status: str) -> None:
    assert parse_status(text) == status


def test_an_unknown_status_is_refused() -> None:
    with pytest.raises(UnableToReadCell, match="“vielleicht” is no known status"):
        parse_status("vielleicht")
