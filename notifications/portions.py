"""Which messages of a batch stand in the next request, and the search for those it is refused for.

A provider refuses a request as a whole. The refused ones are found by halving: when the first half
is taken, the second must hold a refused one, so it is halved without being asked again; when the
first half is refused, nothing is known about the second, so it joins the others of which nothing
is known. For 3 refused among 500 that takes about 30 requests, where plain halving takes 46.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

Item = TypeVar("Item")
# Where many are refused, joining costs more than halving alone: it ends after so many refusals.
MOST_JOINS = 40


class Portions(Generic[Item]):
    """Hands out portions; each must be followed by what became of it, before the next."""

    def __init__(self, requests: Iterable[list[Item]]) -> None:
        """Each of `requests` may stand in one request, and so may any part of it."""
        # The next one last: its items, whether a refused one is among them, and of which request.
        self._waiting = [(items, False, number) for number, items in enumerate(requests) if items]
        self._waiting.reverse()
        self._number = 0
        self._other_half: list[Item] | None = None
        self._refusals = 0

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def take(self) -> list[Item]:
        """The next portion."""
        items, is_suspect, self._number = self._waiting.pop()
        if is_suspect and len(items) > 1:
            half = len(items) // 2
            items, self._other_half = items[:half], items[half:]
        return items

    def coming_alone(self, most: int) -> list[Item]:
        """Up to so many of those that come next, as long as each is a portion of its own."""
        coming: list[Item] = []
        for items, _is_suspect, _number in reversed(self._waiting):
            if len(coming) >= most or len(items) > 1 or self._other_half is not None:
                break
            coming += items
        return coming

    def only(self, portion: list[Item], size: int) -> list[Item]:
        """The portion cut to a size; the rest comes later."""
        kept, rest = portion[:size], portion[size:]
        if self._other_half is not None:
            self._other_half = rest + self._other_half
        elif rest:
            self._put(rest, is_suspect=False)
        return kept

    def was_accepted(self) -> None:
        """All of the portion is out."""
        self._put_other_half(is_suspect=True)

    def has_ended(self) -> None:
        """The portion comes no more, and says nothing about the others."""
        self._put_other_half(is_suspect=False)

    def was_refused(self, portion: list[Item]) -> None:
        """One of several, at least, is refused: the portion comes again in parts."""
        self._refusals += 1
        self._put_other_half(is_suspect=False)
        self._put(portion, is_suspect=True)

    def rest(self) -> list[Item]:
        """All that has not been handed out, in order; none of it comes any more."""
        self.has_ended()
        rest = [item for items, _, _ in reversed(self._waiting) for item in items]
        self._waiting = []
        return rest

    def _put_other_half(self, *, is_suspect: bool) -> None:
        items, self._other_half = self._other_half, None
        if not items:
            return
        if self._waiting and not is_suspect and self._refusals <= MOST_JOINS:
            others, others_are_suspect, number = self._waiting[-1]
            if number == self._number and not others_are_suspect:
                self._waiting.pop()
                items = items + others
        self._put(items, is_suspect=is_suspect)

    def _put(self, items: list[Item], *, is_suspect: bool) -> None:
        self._waiting.append((items, is_suspect, self._number))
