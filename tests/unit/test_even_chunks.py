"""Cutting a run's people into chunks."""

import pytest

from agents.chunking import even_chunks


@pytest.mark.parametrize(
    ("people", "sizes"),
    [(0, []), (1, [1]), (10, [10]), (11, [6, 5]), (25, [7, 7, 7, 4]), (40, [10] * 4)],
)
def test_chunks_are_even_and_never_too_large(people: int, sizes: list[int]) -> None:
    chunks = even_chunks(range(people), largest=10, at_a_time=2)
    assert [len(chunk) for chunk in chunks] == sizes
    assert [id_ for chunk in chunks for id_ in chunk] == list(range(people))
