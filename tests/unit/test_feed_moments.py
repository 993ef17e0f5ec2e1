"""Dates and times as feeds write them."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from listings.feeds.moments import parse_moment
from listings.feeds.problems import UnableToReadCell

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-03T08:15:00Z", datetime(2026, 11, 3, 8, 15, tzinfo=UTC)),
        ("2026-11-04T09:00:00+01:00", datetime(2026, 11, 4, 8, tzinfo=UTC)),
        ("2026-11-04 09:00+0100", datetime(2026, 11, 4, 8, tzinfo=UTC)),
        ("2026-11-04T09:00:30.123-05", datetime(2026, 11, 4, 14, 0, 30, tzinfo=UTC)),
        ("2026-11-04T09:00", datetime(2026, 11, 4, 8, tzinfo=UTC)),
        ("03.11.2026 08:15", datetime(2026, 11, 3, 7, 15, tzinfo=UTC)),
        ("3.7.2026, 08:15 Uhr", datetime(2026, 7, 3, 6, 15, tzinfo=UTC)),
        ("05.11.2026", datetime(2026, 11, 4, 23, tzinfo=UTC)),
        ("2026-07-05", datetime(2026, 7, 4, 22, tzinfo=UTC)),
        ("5. 11. 2026.", datetime(2026, 11, 4, 23, tzinfo=UTC)),
        ("29.02.2028", datetime(2028, 2, 28, 23, tzinfo=UTC)),
    ],
)
def test_a_date_is_understood_in_the_feeds_zone(text: str, moment: datetime) -> None:
    assert parse_moment(text, BERLIN) == moment


def test_an_empty_cell_says_nothing() -> None:
    assert parse_moment("", BERLIN) is None


def test_a_time_the_clock_change_skips_is_the_moment_it_jumped_over() -> None:
    assert parse_moment("29.03.2026 02:30", BERLIN) == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)


def test_a_time_the_clock_change_repeats_is_the_first_one() -> None:
    assert parse_moment("25.10.2026 02:30", BERLIN) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("31.02.2026", "no such day or time exists"),
        ("29.02.2026", "no such day or time exists"),
        ("2026-13-01", "no such day or time exists"),
        ("2026-11-04T25:00", "no such day or time exists"),
        ("2026-11-04T09:00+99:99", "no such day or time exists"),
        ("0000-01-01", "no such day or time exists"),
        ("0001-01-01", "the year 1 cannot be meant"),
        ("9999-12-31T23:59:59-12:00", "the year 9999 cannot be meant"),
        ("11/05/2026", "may be day/month or month/day"),
        ("03.11.26", "write the year with four digits"),
        ("46329", "is no date; write 2026-11-05"),
        ("gestern", "is no date; write 2026-11-05"),
        ("05.11.2026 und mehr", "is no date; write 2026-11-05"),
    ],
)
def test_what_is_no_date_is_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(UnableToReadCell, match=reason):
        parse_moment(text, BERLIN)


@given(st.text(alphabet="0123456789.-:TZ+ ,Uhr/", max_size=30))
def test_no_text_whatever_makes_the_parser_crash(text: str) -> None:
    try:
        moment = parse_moment(text, BERLIN)
    except UnableToReadCell:
        return
    assert moment is None or moment.tzinfo is UTC
