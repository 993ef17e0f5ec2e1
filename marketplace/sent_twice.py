"""The same form sent twice at once: the second sees what the first has done.

Both may find a name free that only one of them can have. The database refuses the other, which is
undone as a whole and asked once more: now its form finds the name taken and answers as if it had
come a moment later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.urls import URLPattern, URLResolver

UNIQUE_VIOLATION = "23505"
Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")
View = Callable[Concatenate[HttpRequest, Arguments], Answer]


def asked_again(view: View[Arguments, Answer]) -> View[Arguments, Answer]:
    """The view; a form is taken in a transaction, and once more where it lost a race.

    So the view may do nothing that a rollback leaves behind; mails wait in the ledger until the
    commit.
    """

    @wraps(view)
    def asking(request: HttpRequest, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        if request.method != "POST":
            return view(request, *args, **kwargs)
        try:
            with transaction.atomic():
                return view(request, *args, **kwargs)
        except IntegrityError as error:
            if getattr(error.__cause__, "pgcode", "") != UNIQUE_VIOLATION:
                raise
        with transaction.atomic():
            return view(request, *args, **kwargs)

    return asking


def ask_all_again(patterns: Iterable[URLPattern | URLResolver | Any]) -> None:
    """Let every view of a package's addresses be one that is asked again."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            ask_all_again(pattern.url_patterns)
        else:
            pattern.callback = asked_again(pattern.callback)
