"""The axis of values: where it ends, and which lines are drawn across."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

STEPS = (1, 2, 2.5, 5, 10)
PARTS = 4


@dataclass(frozen=True, slots=True)
class Tick:
    """A line across at `y` per cent from the top."""

    y: str
    label: str


@dataclass(frozen=True, slots=True)
class Axis:
    """From zero to `top`, in steps that people count in."""

    top: float
    step: float

    @classmethod
    def up_to(cls, highest: float, *, least_step: float) -> Axis:
        """An axis that holds `highest`; `least_step` where there are whole numbers only, say."""
        wanted = max(highest, least_step * PARTS) / PARTS
        size = 10.0 ** math.floor(math.log10(wanted))
        steps = [size * part for part in STEPS if least_step < 1 or size * part % 1 == 0]
        step = max(least_step, next(step for step in steps if step >= wanted * (1 - 1e-9)))
        top = step * max(1, math.ceil(highest / step - 1e-9))
        return cls(top=max(top, step * 2), step=step)

    def y(self, value: float) -> float:
        """Per cent from the top."""
        return 100 - 100 * value / self.top

    def ticks(self, words: Callable[[float], str]) -> list[Tick]:
        """The lines, the lowest first."""
        count = round(self.top / self.step)
        values = [self.step * number for number in range(count + 1)]
        return [Tick(percent(self.y(value)), words(value)) for value in values]


def percent(number: float) -> str:
    """For an attribute of SVG, which knows no decimal comma."""
    return f"{number:.2f}%"
