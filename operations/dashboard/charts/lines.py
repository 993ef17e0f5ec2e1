"""A line chart: some series over the same days; a day without a value is a gap in its line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from operations.dashboard.charts.axis import Axis, Tick, percent


@dataclass(frozen=True, slots=True)
class Line:
    """A series: a value for each label, None where there is none."""

    name: str
    values: Sequence[float | None]
    total: str = ""
    href: str = ""


@dataclass(frozen=True, slots=True)
class Point:
    x: str
    y: str


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """`path` is drawn in a square of 100 by 100; the points stand beside it in per cent."""

    line: Line
    path: str
    points: list[Point]


@dataclass(frozen=True, slots=True)
class Column:
    """One label: the part of the drawing that answers to the pointer, and its row of the table."""

    label: str
    mark: str
    href: str
    cells: list[str]
    said: str
    x: str
    width: str
    middle: str


class LineChart:
    """`name` is unique on the page; `summary` says in a sentence what a look would tell."""

    kind = "lines"

    def __init__(
        self,
        name: str,
        title: str,
        summary: str,
        heading: str,
        labels: Sequence[tuple[str, str, str]],
        lines: Sequence[Line],
        words: Callable[[float | None], str],
        tick_words: Callable[[float], str],
        *,
        least_step: float,
    ) -> None:
        """`labels` are (label, mark below the chart or nothing, where its rows stand)."""
        self.name, self.title, self.summary = name, title, summary
        self.headings = (heading, *(line.name for line in lines))
        values = [value for line in lines for value in line.values if value is not None]
        self.axis = Axis.up_to(max(values, default=0), least_step=least_step)
        self.ticks: list[Tick] = self.axis.ticks(tick_words)
        self._width = 100 / max(len(labels), 1)
        self.lines = [self._placed(line) for line in lines]
        self.columns = [
            self._column(number, label, [(line.name, words(line.values[number])) for line in lines])
            for number, label in enumerate(labels)
        ]

    def _middle(self, number: int) -> float:
        return (number + 0.5) * self._width

    def _placed(self, line: Line) -> PlacedLine:
        path, points, is_drawing = [], [], False
        for number, value in enumerate(line.values):
            if value is None:
                is_drawing = False
                continue
            x, y = self._middle(number), self.axis.y(value)
            path.append(f"{'L' if is_drawing else 'M'}{x:.2f} {y:.2f}")
            points.append(Point(percent(x), percent(y)))
            is_drawing = True
        return PlacedLine(line, " ".join(path), points)

    def _column(
        self, number: int, label: tuple[str, str, str], cells: list[tuple[str, str]]
    ) -> Column:
        name, mark, href = label
        said = ", ".join(f"{series} {words}" for series, words in cells)
        return Column(
            label=name,
            mark=mark,
            href=href,
            cells=[words for _series, words in cells],
            said=f"{name}: {said}",
            x=percent(number * self._width),
            width=percent(self._width),
            middle=percent(self._middle(number)),
        )
