"""Ways to find rows, each for one shape of text and each by one index.

A list asks one way alone, never all of them joined by OR: that would read the whole table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.search import SearchQuery, SearchVector
from django.db.models import QuerySet, Value
from django.db.models.functions import Lower
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from marketplace.models import PEOPLE_WORDS, User

Find = Callable[[QuerySet[Any], str], QuerySet[Any]]
NUMBER = re.compile(r"\d{1,18}", re.ASCII)
ADDRESS = re.compile(r"\S+@\S+")
ANYTHING = re.compile(r".+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Lookup:
    """A way to find rows: `find` is asked when the whole text has the `shape`."""

    what: Any
    shape: re.Pattern[str]
    find: Find


def lookup_for(text: str, lookups: Sequence[Lookup]) -> Lookup | None:
    """The first way whose shape the text has."""
    return next((each for each in lookups if each.shape.fullmatch(text)), None)


def in_words(lookups: Sequence[Lookup]) -> Any:
    """What can be searched for, as a list in the language of whoever reads it."""
    return lazy(lambda: ", ".join(str(each.what) for each in lookups), str)()


def by_number() -> Lookup:
    """The row's own number."""
    return Lookup(_("number"), NUMBER, lambda rows, text: rows.filter(pk=int(text)))


def by_persons_address(field: str) -> Lookup:
    """Rows of the person with this address; `field` names the person."""
    return Lookup(
        _("whole address"),
        ADDRESS,
        lambda rows, text: rows.filter(**{f"{field}__in": people_at(text)}),
    )


def by_persons_words(field: str) -> Lookup:
    """Rows of the people with words that begin like these; `field` names the person."""
    return Lookup(
        _("beginnings of the person's name or address"),
        ANYTHING,
        lambda rows, text: rows.filter(
            **{f"{field}__in": people_called(User.objects.all(), text).values("pk")}
        ),
    )


def by_own_address() -> Lookup:
    """Rows with this address in `email`, in any letter case."""
    return Lookup(_("whole address"), ADDRESS, _at)


def people_at(address: str) -> list[int]:
    """Whose address this is, in any letter case: nobody, or one person."""
    # Their numbers, not a subquery: then the database knows how few they are.
    return list(_at(User.objects.all(), address).values_list("pk", flat=True))


def people_called(people: QuerySet[User], text: str) -> QuerySet[User]:
    """Those whose name and address have, for each word of the text, one that begins with it."""
    words = (re.sub(r"['\\:]", " ", word).strip() for word in text.split())
    query = " & ".join(f"'{word}':*" for word in words if word)
    return people.annotate(words=SearchVector(*PEOPLE_WORDS, config="simple")).filter(
        words=SearchQuery(query, search_type="raw", config="simple")
    )


def _at(rows: QuerySet[Any], address: str) -> QuerySet[Any]:
    return rows.alias(lowered=Lower("email")).filter(lowered=Lower(Value(address)))
