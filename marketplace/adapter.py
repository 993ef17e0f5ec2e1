"""What allauth asks us to decide: the language of a new person, and how long an address may be."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from django.core.validators import MaxLengthValidator
from django.http import HttpRequest
from django.utils.translation import get_language

from marketplace.models import User


class AccountAdapter(DefaultAccountAdapter):
    """New people keep the language in which they signed up."""

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        """Fill a new person from the sign-up form; stored when `commit`."""
        user.language = (get_language() or "en")[:2]
        return super().save_user(request, user, form, commit)

    def clean_email(self, email: str) -> str:
        """Refuse what the database cannot hold: allauth would cut it and store another address."""
        MaxLengthValidator(EmailAddress._meta.get_field("email").max_length)(email)
        return super().clean_email(email)
