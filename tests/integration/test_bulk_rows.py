"""Arrays in PostgreSQL's notation come back as the values that were written."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from marketplace.bulk import array_literal


def round_trip(kind: str, values: list[Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT unnest(%s::{kind}[])", [array_literal(kind, values)])
        return [value for (value,) in cursor.fetchall()]


texts = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\x00"))


class ArrayNotationTest(TestCase):
    @given(st.lists(st.none() | texts, min_size=1))
    def test_texts_with_any_sign_survive(self, values: list[str | None]) -> None:
        assert round_trip("text", values) == values

    @given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), min_size=1))
    def test_numbers_survive(self, values: list[int | None]) -> None:
        assert round_trip("bigint", values) == values

    @given(st.lists(st.booleans() | st.none(), min_size=1))
    def test_truth_values_survive(self, values: list[bool | None]) -> None:
        assert round_trip("boolean", values) == values


@pytest.mark.django_db
def test_moments_survive_to_the_microsecond_whatever_their_zone() -> None:
    zone = timezone(timedelta(hours=5, minutes=45))
    values = [
        datetime(2026, 11, 29, 17, 9, 16, 123456, tzinfo=UTC),
        datetime(1999, 1, 1, tzinfo=zone),
    ]
    assert round_trip("timestamptz", values) == values


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["NULL", "null", "", "{}", '"', "\\", ",", "a\nb", " x "])
def test_texts_that_look_like_notation_stay_texts(text: str) -> None:
    assert round_trip("text", [text]) == [text]
