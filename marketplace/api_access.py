"""Who may use the API, and how often: a signed-in person in the browser, or a personal token."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils import timezone
from ninja.security import HttpBearer, SessionAuth
from ninja.throttling import BaseThrottle

from marketplace.models import User
from marketplace.personal_tokens import use_token
from marketplace.rate_limits import WAIT, may_go_on


class PersonalTokenAuth(HttpBearer):
    """`Authorization: Bearer …` with a valid token; answers its person."""

    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        """The person behind the token, None when it opens nothing."""
        found = use_token(token, timezone.now())
        return found.user if found else None


class BrowserAuth(SessionAuth):
    """The site's own session; what changes anything needs the CSRF token too."""


class ApiThrottle(BaseThrottle):
    """The rate `api`, counted by person."""

    def allow_request(self, request: HttpRequest) -> bool:
        """Count the request; False when it is one too many."""
        return may_go_on(request, "api", caller(request))

    def wait(self) -> float:
        """Seconds until another try makes sense."""
        return WAIT


def caller(request: HttpRequest) -> User:
    """The person in whose name the request came, by whichever way."""
    user = getattr(request, "auth", None)
    assert isinstance(user, User)  # noqa: S101 - for the type checker: others never get here
    return user
