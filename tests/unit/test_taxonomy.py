"""The industries and regions every company is sorted into, in three languages."""

import re

import pytest

from listings.taxonomy import TaxonomyNode, industries, regions

DIVISIONS_PER_SECTION = {
    "A": 3, "B": 5, "C": 24, "D": 1, "E": 4, "F": 3, "G": 3, "H": 5, "I": 2, "J": 6, "K": 3,
    "L": 1, "M": 7, "N": 6, "O": 1, "P": 1, "Q": 3, "R": 4, "S": 3, "T": 2, "U": 1,
}  # fmt: skip
NACE_GAPS = {"04", "34", "40", "44", "48", "54", "57", "67", "76", "83", "89"}


def by_code(nodes: tuple[TaxonomyNode, ...]) -> dict[str, TaxonomyNode]:
    return {node.code: node for node in nodes}


def test_industries_are_all_21_sections_and_88_divisions_of_nace() -> None:
    sections = [node.code for node in industries() if node.parent_code is None]
    assert sections == list(DIVISIONS_PER_SECTION)
    divisions = [node for node in industries() if node.parent_code]
    assert {
        section: sum(node.parent_code == section for node in divisions) for section in sections
    } == DIVISIONS_PER_SECTION
    numbers = {f"{number:02}" for number in range(1, 100)} - NACE_GAPS
    assert {node.code[1:] for node in divisions} == numbers
    assert all(node.code[0] == node.parent_code for node in divisions)


def test_regions_are_the_four_countries_with_all_their_parts() -> None:
    parts = {
        country.code: sum(node.parent_code == country.code for node in regions())
        for country in regions()
        if country.parent_code is None
    }
    assert parts == {"DE": 16, "AT": 9, "CH": 26, "HR": 21}


@pytest.mark.parametrize("nodes", [industries(), regions()], ids=["industries", "regions"])
def test_parents_come_before_their_children_and_codes_are_unique(
    nodes: tuple[TaxonomyNode, ...],
) -> None:
    seen: set[str | None] = {None}
    for node in nodes:
        assert node.parent_code in seen
        assert node.code not in seen
        seen.add(node.code)


@pytest.mark.parametrize("nodes", [industries(), regions()], ids=["industries", "regions"])
def test_every_name_is_clean_and_short_enough_for_people(nodes: tuple[TaxonomyNode, ...]) -> None:
    for node in nodes:
        for name in node.names:
            assert re.fullmatch(r"[A-ZÄÖÜČĆŠŽĐ][^/\[\]_|*]{2,79}", name), (node.code, name)
            assert name == " ".join(name.split())


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("DE", ("Germany", "Deutschland", "Njemačka")),
        ("DE-BY", ("Bavaria", "Bayern", "Bavarska")),
        ("DE-MV", ("Mecklenburg-Western Pomerania", "Mecklenburg-Vorpommern",
                   "Mecklenburg-Zapadno Pomorje")),
        ("DE-NW", ("North Rhine-Westphalia", "Nordrhein-Westfalen", "Sjeverna Rajna-Vestfalija")),
        ("DE-TH", ("Thuringia", "Thüringen", "Tiringija")),
        ("AT-1", ("Burgenland", "Burgenland", "Gradišće")),
        ("AT-6", ("Styria", "Steiermark", "Štajerska")),
        ("AT-9", ("Vienna", "Wien", "Beč")),
        ("CH-BE", ("Bern", "Bern", "Bern")),
        ("CH-FR", ("Fribourg", "Freiburg", "Fribourg")),
        ("CH-GE", ("Geneva", "Genf", "Ženeva")),
        ("CH-SG", ("St. Gallen", "St. Gallen", "St. Gallen")),
        ("CH-ZH", ("Zurich", "Zürich", "Zürich")),
        ("HR-01", ("Zagreb County", "Gespanschaft Zagreb", "Zagrebačka županija")),
        ("HR-17", ("Split-Dalmatia County", "Gespanschaft Split-Dalmatien",
                   "Splitsko-dalmatinska županija")),
        ("HR-21", ("City of Zagreb", "Stadt Zagreb", "Grad Zagreb")),
    ],
)  # fmt: skip
def test_a_region_is_named_as_its_people_name_it(code: str, names: tuple[str, str, str]) -> None:
    assert by_code(regions())[code].names == names


def test_every_croatian_county_is_called_county_gespanschaft_and_zupanija() -> None:
    counties = [node for node in regions() if node.parent_code == "HR" and node.code != "HR-21"]
    assert len(counties) == 20
    for county in counties:
        assert county.name_en.endswith(" County")
        assert county.name_de.startswith("Gespanschaft ")
        assert county.name_hr.endswith(" županija")


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("C", ("Manufacturing", "Verarbeitendes Gewerbe", "Prerađivačka industrija")),
        ("C28", ("Machinery and equipment", "Maschinenbau", "Strojevi i uređaji")),
        ("F41", ("Construction of buildings", "Hochbau", "Gradnja zgrada")),
        ("H50", ("Water transport", "Schifffahrt", "Vodeni prijevoz")),
        ("Q86", ("Human health services", "Gesundheitswesen", "Zdravstvena zaštita")),
    ],
)  # fmt: skip
def test_an_industry_has_its_name_in_three_languages(
    code: str, names: tuple[str, str, str]
) -> None:
    assert by_code(industries())[code].names == names
