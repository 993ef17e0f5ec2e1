"""Who is asking."""

from __future__ import annotations

from django.http import HttpRequest

from marketplace.models import User


def signed_in(request: HttpRequest) -> User:
    """The person behind a request that `login_required` has let through."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101 - for the type checker: guests never get here
    return user
