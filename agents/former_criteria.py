"""What an agent asked for before its edits.

News from before an edit must match both what the agent asked for then and what it asks for now:
an edit loses nothing that was waiting, and brings no flood of what it newly lets in. Stored as
JSON, oldest first: `[{"until": ISO time of the edit, "criteria": {…}}, …]`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Q

from agents.matching import WindowIndex
from listings.criteria import Criteria
from listings.keywords import Lexemes

MAX_ENTRIES = 20

Stored = list[dict[str, Any]]


class FormerCriteria(NamedTuple):
    """What an agent asked for until an edit."""

    until: datetime
    terms: Criteria


def with_edit(stored: Stored, criteria: Criteria, until: datetime) -> Stored:
    """The stored list after an edit that ended `criteria`; the oldest fall off a long list."""
    entry = {"until": until.isoformat(), "criteria": criteria.to_json()}
    return [*stored, entry][-MAX_ENTRIES:]


def former_from_json(stored: Stored) -> tuple[FormerCriteria, ...]:
    """The stored list as values."""
    return tuple(
        FormerCriteria(
            datetime.fromisoformat(entry["until"]), Criteria.from_json(entry["criteria"])
        )
        for entry in stored
    )


def former_to_json(former: Sequence[FormerCriteria], after: datetime) -> Stored:
    """The values as they are stored, without those that ended at or before `after`."""
    return [
        {"until": entry.until.isoformat(), "criteria": entry.terms.to_json()}
        for entry in former
        if entry.until > after
    ]


def matched_at_the_time(former: Sequence[FormerCriteria], index: WindowIndex) -> int:
    """The index's companies that matched what the agent asked for when they became news."""
    mask = index.news_since(former[-1].until)
    since_previous = index.everything
    for entry in former:
        since = index.news_since(entry.until)
        mask |= since_previous & ~since & index.matches(entry.terms)
        since_previous = since
    return mask


def asked_at_the_time(stored: Stored, lexemes: Mapping[str, Lexemes] | None = None) -> Q:
    """The same question as a `Q` on `listings.Company`; `lexemes` as `Criteria.q` takes them."""
    if not stored:
        return Q()
    former = former_from_json(stored)
    asked, since = Q(fresh_at__gte=former[-1].until), Q()
    for entry in former:
        asked |= since & Q(fresh_at__lt=entry.until) & entry.terms.q(lexemes)
        since = Q(fresh_at__gte=entry.until)
    return asked
