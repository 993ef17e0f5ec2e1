"""Cutting a run's people into chunks."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil


def even_chunks(ids: Sequence[int], largest: int, at_a_time: int) -> list[Sequence[int]]:
    """The ids in their order, in chunks of the same size, none larger than `largest`.

    Where more than one chunk is needed their number is a multiple of `at_a_time`, so that nobody
    plans a last small one while the others have nothing to do.
    """
    number = ceil(len(ids) / largest)
    if number > 1:
        number = ceil(number / at_a_time) * at_a_time
    size = ceil(len(ids) / number) if number else 1
    return [ids[start : start + size] for start in range(0, len(ids), size)]
