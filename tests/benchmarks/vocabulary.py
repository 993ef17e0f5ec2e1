"""Made-up words as a language has them: thousands, pronounceable, few of them common.

The n-th word is about as frequent as 1/n (Zipf), so that searches meet common words and rare ones.
"""

from __future__ import annotations

import random
from itertools import accumulate

SEED = 7
SIZE = 6_000
# So that no single word stands in nearly every text, as the filler words of a language do.
FLATTENING = 8
_ONSETS = "b br d dr f fl g gr h k kl l m n p pr r s st t tr v w z".split()
_VOWELS = "a e i o u au ei ie".split()
_CODAS = ["", "", "", "l", "n", "r", "m", "k", "nd", "rt", "st"]


def words(size: int = SIZE) -> list[str]:
    """The words, most frequent first; the same ones each time."""
    generator = random.Random(SEED)
    found: dict[str, None] = {}
    while len(found) < size:
        syllables = generator.choice((2, 2, 3, 3, 4))
        found.setdefault("".join(_syllable(generator) for _ in range(syllables)))
    return list(found)


def _syllable(generator: random.Random) -> str:
    return "".join(generator.choice(parts) for parts in (_ONSETS, _VOWELS, _CODAS))


class Zipf:
    """Draws words by their frequency."""

    def __init__(self, vocabulary: list[str]) -> None:
        self.words = vocabulary
        ranks = range(len(vocabulary))
        self._weights = list(accumulate(1 / (rank + FLATTENING) for rank in ranks))

    def draw(self, generator: random.Random, count: int) -> list[str]:
        """So many words, with repeats."""
        return generator.choices(self.words, cum_weights=self._weights, k=count)
