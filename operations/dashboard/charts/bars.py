"""A bar chart: one bar a label, each leading to its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from operations.dashboard.charts.axis import Axis, Tick, percent

GAP = 0.22
"""Of a bar's place."""
LEAST_HEIGHT = 0.8
"""Per cent: what is not zero is seen."""


@dataclass(frozen=True, slots=True)
class Bar:
    """`label` in full for the table; `mark` is the short one below the chart, where it has one."""

    label: str
    value: float | None
    words: str
    href: str = ""
    mark: str = ""
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class PlacedBar:
    """A bar at its place, and the column around it that answers to the pointer."""

    bar: Bar
    x: str
    y: str
    width: str
    height: str
    column_x: str
    column_width: str
    middle: str


class BarChart:
    """`name` is unique on the page; `summary` says in a sentence what a look would tell."""

    kind = "bars"

    def __init__(
        self,
        name: str,
        title: str,
        summary: str,
        headings: tuple[str, str],
        bars: Sequence[Bar],
        words: Callable[[float], str],
        *,
        least_step: float = 1,
    ) -> None:
        self.name, self.title, self.summary, self.headings = name, title, summary, headings
        axis = Axis.up_to(max((bar.value or 0 for bar in bars), default=0), least_step=least_step)
        self.ticks: list[Tick] = axis.ticks(words)
        width = 100 / max(len(bars), 1)
        self.bars = [_placed(bar, number * width, width, axis) for number, bar in enumerate(bars)]


def _placed(bar: Bar, left: float, width: float, axis: Axis) -> PlacedBar:
    height = 100 - axis.y(bar.value or 0)
    if bar.value:
        height = max(height, LEAST_HEIGHT)
    return PlacedBar(
        bar=bar,
        x=percent(left + width * GAP / 2),
        y=percent(100 - height),
        width=percent(width * (1 - GAP)),
        height=percent(height),
        column_x=percent(left),
        column_width=percent(width),
        middle=percent(left + width / 2),
    )
