"""The bitmap index of a run: which of the window's companies an agent's criteria match.

The companies of the window, newest first, become bit positions. Each industry, region, lexeme
and price becomes one integer whose bits are the companies it applies to, so an agent's hits are a
few `&` and `|`, the newest hits are the lowest set bits, and what was shown is one more mask.
Same answers as `Criteria.q()`, to the row; a property test holds the two together.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Protocol

from listings.keywords import Lexemes

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
MAX_CACHED_MASKS = 4096
ONE = ord("1")
PRICE_STEPS = 256


class SearchTerms(Protocol):
    """What is matched: `Criteria`, or an agent's row with the same fields."""

    @property
    def industries(self) -> Iterable[str]: ...
    @property
    def regions(self) -> Iterable[str]: ...
    @property
    def price_min(self) -> Decimal | None: ...
    @property
    def price_max(self) -> Decimal | None: ...
    @property
    def keywords(self) -> str: ...
    @property
    def include_on_request(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class WindowCompany:
    """The facts of one company in the window; lexemes only those that some agent asks for."""

    id: int
    fresh_at: datetime
    industry: tuple[str, ...]
    """The industry's code and its section's."""
    region: tuple[str, ...]
    """The region's code and its country's."""
    price_eur: Decimal | None
    lexemes: Iterable[str] = ()


def set_bits(mask: int) -> Iterator[int]:
    """Positions of the set bits, lowest (newest company) first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def lowest_bits(mask: int, count: int) -> int:
    """The mask's `count` lowest set bits."""
    if mask.bit_count() <= count:
        return mask
    rest = mask
    for _ in range(count):
        rest &= rest - 1
    return mask ^ rest


class WindowIndex:
    """Answers "which of these companies match?" for any number of agents."""

    def __init__(
        self,
        companies: Iterable[WindowCompany],
        lexemes: Mapping[str, Lexemes],
        starts_at: datetime = EPOCH,
    ) -> None:
        """`companies` newest first, all since `starts_at`; `lexemes` holds the alternatives of
        every keywords text that can be asked for.
        """
        self.starts_at = starts_at
        self.ids: list[int] = []
        self.fresh_at: list[datetime] = []
        self._keyword_lexemes = lexemes
        self._negative_times: list[int] = []
        positions: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        prices: list[tuple[Decimal, int]] = []
        for position, company in enumerate(companies):
            self._add_position(company)
            _collect(positions["industry"], company.industry, position)
            _collect(positions["region"], company.region, position)
            _collect(positions["lexeme"], company.lexemes, position)
            if company.price_eur is not None:
                prices.append((company.price_eur, position))
        self.size = len(self.ids)
        self.everything = (1 << self.size) - 1
        self.position_of = {id_: position for position, id_ in enumerate(self.ids)}
        self._industries = self._masks(positions["industry"])
        self._regions = self._masks(positions["region"])
        self._lexemes = self._masks(positions["lexeme"])
        self._prices = _PriceMasks(prices, self.size)
        self._cached: dict[object, int] = {}
        self._since: dict[datetime, int] = {}

    def _add_position(self, company: WindowCompany) -> None:
        self.ids.append(company.id)
        self.fresh_at.append(company.fresh_at)
        self._negative_times.append(-_microseconds(company.fresh_at))

    def _masks(self, positions: Mapping[str, list[int]]) -> dict[str, int]:
        return {key: mask_of(found, self.size) for key, found in positions.items()}

    def covers(self, keywords: str, start: datetime) -> bool:
        """Whether it can tell what since `start` matches these keywords ('' for none)."""
        return start >= self.starts_at and (not keywords or keywords in self._keyword_lexemes)

    def matches(self, terms: SearchTerms) -> int:
        """The companies that match, as a mask."""
        mask = self.everything
        if terms.industries:
            mask &= self._any_of(self._industries, "industry", terms.industries)
        if terms.regions:
            mask &= self._any_of(self._regions, "region", terms.regions)
        if (
            terms.price_min is not None
            or terms.price_max is not None
            or (not terms.include_on_request)
        ):
            mask &= self._in_range(terms.price_min, terms.price_max, terms.include_on_request)
        if terms.keywords:
            mask &= self._with_keywords(terms.keywords)
        return mask

    def news_since(self, moment: datetime) -> int:
        """The companies whose `fresh_at` is at or after `moment`."""
        # Nearly all agents of a tier ran together: few moments are asked for, very often.
        if (known := self._since.get(moment)) is None:
            known = (1 << bisect_right(self._negative_times, -_microseconds(moment))) - 1
            if len(self._since) < MAX_CACHED_MASKS:
                self._since[moment] = known
        return known

    def oldest(self, mask: int) -> datetime:
        """`fresh_at` of the oldest company in a mask that is not empty."""
        return self.fresh_at[mask.bit_length() - 1]

    def newest(self, mask: int) -> datetime:
        """`fresh_at` of the newest company in a mask that is not empty."""
        return self.fresh_at[(mask & -mask).bit_length() - 1]

    def company_ids(self, mask: int) -> list[int]:
        """Ids of the companies in a mask, newest first."""
        return [self.ids[position] for position in set_bits(mask)]

    def _any_of(self, masks: Mapping[str, int], kind: str, codes: Iterable[str]) -> int:
        key = (kind, *codes)
        if (known := self._cached.get(key)) is not None:
            return known
        mask = 0
        for code in codes:
            mask |= masks.get(code, 0)
        return self._remember(key, mask)

    def _in_range(self, low: Decimal | None, high: Decimal | None, on_request: bool) -> int:
        key = (low, high, on_request)
        if (known := self._cached.get(key)) is not None:
            return known
        mask = self._prices.between(low, high)
        if on_request:
            mask |= self.everything ^ self._prices.all
        return self._remember(key, mask)

    def _with_keywords(self, keywords: str) -> int:
        key = ("keywords", keywords)
        if (known := self._cached.get(key)) is not None:
            return known
        mask = 0
        for alternative in self._keyword_lexemes.get(keywords, ()):
            found = self.everything
            for lexeme in alternative:
                found &= self._lexemes.get(lexeme, 0)
            mask |= found
        return self._remember(key, mask)

    def _remember(self, key: object, mask: int) -> int:
        """Keep the answer; the memory it takes stays bounded."""
        if len(self._cached) >= MAX_CACHED_MASKS:
            self._cached.clear()
        self._cached[key] = mask
        return mask


class _PriceMasks:
    """Companies by price: a mask for every so many prices, the rest looked at one by one."""

    def __init__(self, prices: list[tuple[Decimal, int]], size: int) -> None:
        prices.sort()
        self._prices = [price for price, _ in prices]
        self._positions = [position for _, position in prices]
        self._step = max(1, len(prices) // PRICE_STEPS)
        self._below = [0]
        for start in range(0, len(prices), self._step):
            block = mask_of(self._positions[start : start + self._step], size)
            self._below.append(self._below[-1] | block)
        self.all = self._below[-1]

    def between(self, low: Decimal | None, high: Decimal | None) -> int:
        """Companies with a price from `low` to `high`, both included."""
        start = 0 if low is None else bisect_left(self._prices, low)
        end = len(self._prices) if high is None else bisect_right(self._prices, high)
        return self._first(end) & ~self._first(start) if start < end else 0

    def _first(self, count: int) -> int:
        """The `count` cheapest companies."""
        if count == len(self._prices):
            return self.all
        blocks, rest = divmod(count, self._step)
        mask = self._below[blocks]
        for position in self._positions[count - rest : count]:
            mask |= 1 << position
        return mask


def mask_of(positions: Iterable[int], size: int) -> int:
    """The integer with these bits set; linear, unlike shifting one bit after the other."""
    digits = bytearray(b"0") * (size + 1)
    for position in positions:
        digits[position] = ONE
    digits.reverse()
    return int(digits, 2)


def _collect(positions: dict[str, list[int]], keys: Iterable[str], position: int) -> None:
    for key in keys:
        positions[key].append(position)


def _microseconds(moment: datetime) -> int:
    return (moment - EPOCH) // MICROSECOND
