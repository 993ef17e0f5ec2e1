"""What the site knows about a person: each app hands out its part, and takes it away.

This app knows nothing of the others; each registers a keeper when the applications are ready.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Protocol

from marketplace.models import User

# A part's name, and its rows: what `DjangoJSONEncoder` can write, read one by one.
Parts = Mapping[str, Iterable[Any]]


class PersonalDataKeeper(Protocol):
    """What an app that keeps something about people must answer."""

    def export(self, user: User) -> Parts:
        """Everything of this person and nobody else, without secrets; rows are read lazily."""

    def erase(self, user: User, now: datetime) -> None:
        """Take away what belongs to this person. Idempotent.

        Called inside the transaction that deletes the account, in the order in which the apps
        were registered reversed: who builds on another app goes first.
        """


_keepers: dict[str, PersonalDataKeeper] = {}


def register(app: str, keeper: PersonalDataKeeper) -> None:
    """Make `keeper` answer for what `app` knows about people."""
    _keepers[app] = keeper


def keepers() -> list[PersonalDataKeeper]:
    """The keepers in the order of their registration."""
    return list(_keepers.values())
