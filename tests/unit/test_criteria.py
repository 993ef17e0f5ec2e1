"""Criteria are valid by construction, compare by meaning, and survive JSON."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from listings.criteria import EVERYTHING, Criteria, UnableToReadCriteria

codes = st.lists(st.sampled_from(["A", "C16", "c16 ", "DE-BY", "hr"]), max_size=4).map(tuple)
amounts = st.none() | st.decimals(0, 10**9, places=2)


def test_equal_searches_are_equal_values() -> None:
    first = Criteria(industries=("c16", "A"), keywords="  fresh\n bread ", price_max=Decimal("5"))
    second = Criteria(
        industries=("A", "C16", "A"), keywords="fresh bread", price_max=Decimal("5.00")
    )
    assert first == second
    assert hash(first) == hash(second)
    assert first.industries == ("A", "C16")


def test_nothing_asked_is_everything() -> None:
    assert Criteria() == EVERYTHING
    assert Criteria(include_on_request=False) != EVERYTHING


@given(codes, codes, amounts, amounts, st.text(max_size=40), st.booleans())
def test_json_there_and_back_is_the_same_value(
    industries: tuple[str, ...], regions: tuple[str, ...], low: Decimal | None,
    high: Decimal | None, keywords: str, on_request: bool,
) -> None:  # fmt: skip
    if low is not None and high is not None and low > high:
        low, high = high, low
    criteria = Criteria(industries, regions, low, high, keywords, on_request)
    assert Criteria.from_json(criteria.to_json()) == criteria


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"price_min": "10", "price_max": "9"}, "price_max"),
        ({"price_min": "-1"}, "price_min"),
        ({"price_min": "NaN"}, "price_min"),
        ({"price_max": "Infinity"}, "price_max"),
        ({"price_max": "1e400"}, "price_max"),
        ({"price_max": "ten"}, "price_max"),
        ({"keywords": "x" * 201}, "keywords"),
        ({"industries": [f"X{n}" for n in range(201)]}, "industries"),
        ({"industries": "C16"}, "codes"),
        ({"industries": [16]}, "codes"),
        ({"include_on_request": "yes"}, "include_on_request"),
        ({"colour": "blue"}, "colour"),
    ],
)
def test_bad_values_are_named_by_field(values: dict[str, Any], field: str) -> None:
    with pytest.raises(UnableToReadCriteria) as raised:
        Criteria.from_json(values)
    assert list(raised.value.errors) == [field]


@pytest.mark.parametrize("values", [None, [], "all", 5])
def test_json_that_is_no_object_is_refused(values: Any) -> None:
    with pytest.raises(UnableToReadCriteria):
        Criteria.from_json(values)


def test_control_characters_never_reach_the_database() -> None:
    assert Criteria(keywords="a\x00b\r\nc\u2028d").keywords == "a b c d"
