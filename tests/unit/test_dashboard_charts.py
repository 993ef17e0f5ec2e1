"""Numbers become places in a drawing, and words beside it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from operations.dashboard.charts import Bar, BarChart, Line, LineChart
from operations.dashboard.charts.axis import Axis
from operations.dashboard.wording import (
    number_in_words,
    share_in_words,
    span_in_words,
    tick_in_words,
)

NBSP = "\N{NO-BREAK SPACE}"


def bars(*values: float | None) -> BarChart:
    found = [Bar(str(number), value, f"{value}") for number, value in enumerate(values)]
    return BarChart("n", "Title", "Summary", ("A", "B"), found, lambda value: f"{value:g}")


def lines(*series: list[float | None]) -> LineChart:
    labels = [(f"day {number}", "", "") for number in range(len(series[0]))]
    found = [Line(f"s{number}", values) for number, values in enumerate(series)]
    return LineChart(
        "n", "Title", "Summary", "Day", labels, found, str, tick_in_words, least_step=0.001
    )


@pytest.mark.parametrize(
    ("highest", "least", "top", "step"),
    [
        (0, 1, 2, 1),
        (1, 1, 2, 1),
        (3, 1, 3, 1),
        (4, 1, 4, 1),
        (9, 1, 10, 5),
        (42, 1, 60, 20),
        (1000, 1, 1000, 250),
        (1_000_001, 1, 1_500_000, 500_000),
        (0, 0.001, 0.002, 0.001),
        (0.41, 0.001, 0.6, 0.2),
        (1.0, 0.001, 1.0, 0.25),
    ],
)
def test_an_axis_ends_at_a_round_number(
    highest: float, least: float, top: float, step: float
) -> None:
    axis = Axis.up_to(highest, least_step=least)
    assert (round(axis.top, 9), round(axis.step, 9)) == (top, step)


@given(st.floats(0, 1e9), st.sampled_from([1, 0.001]))
def test_an_axis_holds_every_value_and_has_few_lines(highest: float, least: float) -> None:
    axis = Axis.up_to(highest, least_step=least)
    assert axis.top >= highest * (1 - 1e-9)
    assert 3 <= len(axis.ticks(str)) <= 6


def test_bars_stand_on_the_base_and_zero_has_no_height() -> None:
    first, second, none = bars(5, 10, None).bars
    assert (first.x, first.width, first.y, first.height) == ("3.67%", "26.00%", "50.00%", "50.00%")
    assert (second.y, second.height) == ("0.00%", "100.00%")
    assert (none.y, none.height) == ("100.00%", "0.00%")
    assert bars(1, 100_000).bars[0].height == "0.80%"


def test_a_chart_of_nothing_can_be_drawn() -> None:
    assert [tick.label for tick in bars(0, 0).ticks] == ["0", "1", "2"]
    assert bars().bars == []
    assert lines([None, None]).lines[0].path == ""


def test_a_missing_day_is_a_gap_in_its_line() -> None:
    chart = lines([0.2, 0.4, None, 0.4], [None, 0.0, 0.1, None])
    assert chart.lines[0].path == "M12.50 50.00 L37.50 0.00 M87.50 0.00"
    assert chart.lines[1].path == "M37.50 100.00 L62.50 75.00"
    assert [(point.x, point.y) for point in chart.lines[1].points] == [
        ("37.50%", "100.00%"),
        ("62.50%", "75.00%"),
    ]
    assert chart.columns[1].said == "day 1: s0 0.4, s1 0.0"


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (None, "–"), (0.0, "0 %"), (0.4286, "42.9 %"), (0.9996, "100.0 %"), (1.0, "100 %"),
        (0.00052, "0.05 %"), (0.00996, "1.00 %"),
    ],
)  # fmt: skip
def test_shares_in_words(share: float | None, said: str) -> None:
    with translation.override("en"):
        assert share_in_words(share) == said.replace(" ", NBSP)


def test_numbers_are_written_as_in_the_readers_language() -> None:
    with translation.override("de"):
        assert number_in_words(1_234_567) == "1.234.567"
        assert share_in_words(0.4286) == f"42,9{NBSP}%"
        assert tick_in_words(0.025) == f"2,5{NBSP}%"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-5, "0 s"), (0, "0 s"), (59.9, "59 s"), (60, "1 min"), (3599, "59 min"),
        (3600, "1 h 0 min"), (12_345, "3 h 25 min"), (86_400, "1 d 0 h"), (190_000, "2 d 4 h"),
    ],
)  # fmt: skip
def test_lengths_of_time_in_two_parts_at_most(seconds: float, said: str) -> None:
    with translation.override("en"):
        assert span_in_words(timedelta(seconds=seconds)) == said
