"""The sentences of digests. Each is put together once a language, not once a mail."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.frequency import Frequency
from listings.criteria import Criteria
from listings.wording import criteria_in_words

MOST_KEPT = 10_000


def _once_a_language(say: Callable[..., str]) -> Callable[..., str]:
    """Say it in the language that comes first, and remember it."""

    @lru_cache(maxsize=MOST_KEPT)
    @wraps(say)
    def said(language: str, *args: Any) -> str:
        with translation.override(language):
            return say(*args)

    return said


@_once_a_language
def welcome() -> str:
    """Subject and heading of the first mail."""
    return _("Welcome to Marktlotse")


@_once_a_language
def heading(count: int) -> str:
    """How many companies the mail shows."""
    return ngettext("%(count)s new company for you", "%(count)s new companies for you", count) % {
        "count": count
    }


@_once_a_language
def more(waiting: int) -> str:
    """How many more there are; '' where there are none."""
    if not waiting:
        return ""
    return ngettext("View %(waiting)s more match", "View all %(waiting)s more matches", waiting) % {
        "waiting": waiting
    }


@_once_a_language
def subject_of_one(count: int) -> str:
    """The subject where one agent speaks, with `%(count)d` and `%(agent)s` to be filled in."""
    return ngettext(
        "%(count)d new company for “%(agent)s”", "%(count)d new companies for “%(agent)s”", count
    )


@_once_a_language
def subject_of_several(count: int) -> str:
    """The subject where several agents speak."""
    return ngettext(
        "%(count)d new company for your searches",
        "%(count)d new companies for your searches",
        count,
    ) % {"count": count}


@_once_a_language
def why() -> str:
    """Why the mail comes, with `%(agent)s`, `%(criteria)s` and `%(frequency)s` to be filled in."""
    return _("Your search agent “%(agent)s” looks for: %(criteria)s (%(frequency)s).")


@_once_a_language
def frequency(name: str) -> str:
    """How often mail comes."""
    return str(Frequency(name).label)


@lru_cache(maxsize=MOST_KEPT)
def criteria(language: str, as_json: str) -> str:
    """What the criteria ask for, given as the database writes them."""
    return criteria_in_words(Criteria.from_json(json.loads(as_json)), language)
