"""Forms of the account pages."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from marketplace.models import User


class DeleteAccountForm(forms.Form):
    """The person types their own address, so that nobody deletes an account by a slip."""

    address = forms.CharField(
        label=_("Your e-mail address"),
        max_length=254,
        help_text=_("Type it to confirm that you want to delete this account."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "inputmode": "email"}),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_address(self) -> str:
        """The address, if it is this account's, in whatever letter case."""
        address = str(self.cleaned_data["address"])
        if address.strip().lower() != self.user.email.lower():
            raise ValidationError(_("This is not the address of your account."))
        return address
