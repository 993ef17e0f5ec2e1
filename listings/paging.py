"""Paging by position: a page costs the same wherever it lies, and nothing is counted.

A cursor is the last company's place in the order (a number, and its id), so a company that is
published while somebody reads moves nothing onto the wrong page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import QuerySet

from listings.models import Company
from listings.ordering import NEWEST, Order

PAGE_SIZE = 20
_CURSOR = re.compile(r"([0-9]{1,17})-([0-9]{1,18})")


class Place(NamedTuple):
    """Where a company stands in the order."""

    number: int
    pk: int


@dataclass(frozen=True, slots=True)
class Page:
    """Companies of a page, and the cursors of its neighbours ('' where there is none).

    `newer` leads towards the start of the order, `older` towards its end.
    """

    companies: list[Company]
    newer: str
    older: str
    order: Order = NEWEST

    @property
    def is_by_age(self) -> bool:
        """Whether neighbours are newer and older, and not just before and after."""
        return self.order is NEWEST


def page_of(
    companies: QuerySet[Company], *, after: str = "", before: str = "", order: Order = NEWEST
) -> Page:
    """The page behind the cursor `after`, or in front of `before`; else the first.

    A cursor that cannot be read counts as none. One query, two where nothing is in front.
    """
    if (place := _place(before)) is not None:
        return _page_before(companies, place, order)
    place = _place(after)
    rest = order.sorted(companies)
    if place is not None:
        rest = rest.filter(order.beyond(*place))
    rows = list(rest[: PAGE_SIZE + 1])
    page = rows[:PAGE_SIZE]
    return Page(
        page,
        newer=_cursor(page[0], order) if page and place is not None else "",
        older=_cursor(page[-1], order) if len(rows) > PAGE_SIZE else "",
        order=order,
    )


def _page_before(companies: QuerySet[Company], place: Place, order: Order) -> Page:
    in_front = order.sorted(companies, backwards=True).filter(order.beyond(*place, backwards=True))
    rows = list(in_front[: PAGE_SIZE + 1])
    page = rows[:PAGE_SIZE][::-1]
    if not page:
        return page_of(companies, order=order)
    return Page(
        page,
        newer=_cursor(page[0], order) if len(rows) > PAGE_SIZE else "",
        older=_cursor(page[-1], order),
        order=order,
    )


def _cursor(company: Company, order: Order) -> str:
    return f"{order.number(company)}-{company.pk}"


def _place(cursor: str) -> Place | None:
    match = _CURSOR.fullmatch(cursor)
    return None if match is None else Place(int(match[1]), int(match[2]))
