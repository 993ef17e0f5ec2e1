"""The form for a new personal token."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from marketplace.line_fields import LineField


class TokenForm(forms.Form):
    """A name by which to know it again, and how long it lasts, in days."""

    name = LineField(
        label=_("Name"),
        max_length=100,
        help_text=_("So that you know later what uses it: “Our spreadsheet”."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    lasts = forms.TypedChoiceField(
        label=_("Valid for"),
        coerce=int,
        choices=[(30, _("30 days")), (90, _("90 days")), (365, _("a year"))],
        initial=90,
    )
