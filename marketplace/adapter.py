"""What allauth asks us to decide: the language of a new person."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest
from django.utils.translation import get_language

from marketplace.models import User


class AccountAdapter(DefaultAccountAdapter):
    """New people keep the language in which they signed up."""

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        """Fill a new person from the sign-up form; stored when `commit`."""
        user.language = (get_language() or "en")[:2]
        return super().save_user(request, user, form, commit)
