"""The switch of one channel: which channel, on or off, and the words that were shown."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _t

from marketplace.consent import Channel, Wording
from marketplace.promotion_wording import fingerprint, wording_of


class PromotionForm(forms.Form):
    """Valid when off is wanted, or on with the very words that are in use now."""

    channel = forms.TypedChoiceField(choices=Channel.choices, coerce=Channel)
    wanted = forms.ChoiceField(choices=[("on", "on"), ("off", "off")])
    language = forms.ChoiceField(choices=settings.LANGUAGES, required=False)
    shown = forms.CharField(max_length=64, required=False)

    def clean(self) -> dict[str, Any]:
        """Refuse what was agreed to under other words: nobody has read the new ones yet."""
        cleaned = super().clean() or {}
        wants_on = cleaned.get("wanted") == "on" and "channel" in cleaned
        if wants_on and cleaned.get("shown") != fingerprint(self.wording()):
            raise ValidationError(_t("The text has changed. Please read it and choose again."))
        return cleaned

    def wording(self) -> Wording:
        """The words that the person had before their eyes."""
        return wording_of(self.cleaned_data["channel"], self.cleaned_data.get("language") or "en")
