"""Paging by position, newest first: a page costs the same wherever it lies, and nothing is counted.

A cursor is the last company's place in the order (`fresh_at` in microseconds, id), so a company
that is published while somebody reads moves nothing onto the wrong page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.db.models import Q, QuerySet

from listings.models import Company

PAGE_SIZE = 20
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CURSOR = re.compile(r"([0-9]{1,17})-([0-9]{1,18})")


class Place(NamedTuple):
    """Where a company stands in the order."""

    fresh_at: datetime
    pk: int


@dataclass(frozen=True, slots=True)
class Page:
    """Companies of a page, and the cursors of its neighbours ('' where there is none)."""

    companies: list[Company]
    newer: str
    older: str


def page_of(companies: QuerySet[Company], *, after: str = "", before: str = "") -> Page:
    """The page older than the cursor `after`, or newer than `before`; else the first.

    A cursor that cannot be read counts as none. One query.
    """
    if (place := _place(before)) is not None:
        return _page_before(companies, place)
    place = _place(after)
    older_part = companies if place is None else companies.filter(_older_than(place))
    rows = list(older_part.order_by("-fresh_at", "-pk")[: PAGE_SIZE + 1])
    page = rows[:PAGE_SIZE]
    has_more = len(rows) > PAGE_SIZE
    return Page(
        page,
        newer=_cursor(page[0]) if page and place is not None else "",
        older=_cursor(page[-1]) if has_more else "",
    )


def _page_before(companies: QuerySet[Company], place: Place) -> Page:
    rows = list(companies.filter(_newer_than(place)).order_by("fresh_at", "pk")[: PAGE_SIZE + 1])
    page = rows[:PAGE_SIZE][::-1]
    if not page:
        return page_of(companies)
    return Page(
        page,
        newer=_cursor(page[0]) if len(rows) > PAGE_SIZE else "",
        older=_cursor(page[-1]),
    )


def _older_than(place: Place) -> Q:
    # The first condition is implied by the second, but it is the one an index can answer.
    return Q(fresh_at__lte=place.fresh_at) & (
        Q(fresh_at__lt=place.fresh_at) | Q(fresh_at=place.fresh_at, pk__lt=place.pk)
    )


def _newer_than(place: Place) -> Q:
    return Q(fresh_at__gte=place.fresh_at) & (
        Q(fresh_at__gt=place.fresh_at) | Q(fresh_at=place.fresh_at, pk__gt=place.pk)
    )


def _cursor(company: Company) -> str:
    assert company.fresh_at is not None  # noqa: S101 - published companies have it by constraint
    microseconds = (company.fresh_at - _EPOCH) // timedelta(microseconds=1)
    return f"{microseconds}-{company.pk}"


def _place(cursor: str) -> Place | None:
    match = _CURSOR.fullmatch(cursor)
    if match is None:
        return None
    return Place(_EPOCH + timedelta(microseconds=int(match[1])), int(match[2]))
