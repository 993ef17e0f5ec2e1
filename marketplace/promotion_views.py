"""The page on which a person says by which ways promotions may come: none, until they say so."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from marketplace.consent import (
    Channel,
    PromotionConsent,
    Wording,
    give_consent,
    withdraw_consent,
)
from marketplace.methods import require_form
from marketplace.models import User
from marketplace.people import signed_in
from marketplace.promotion_forms import PromotionForm
from marketplace.promotion_wording import fingerprint, wording_of


@dataclass(frozen=True, slots=True)
class Switch:
    """A channel as the page shows it: the consent in force, or the words to agree to."""

    channel: Channel
    consent: PromotionConsent | None
    wording: Wording
    shown: str
    error: str


@require_form
@never_cache
@login_required
def promotions(request: HttpRequest) -> HttpResponse:
    """A switch for each channel; each post says what is wanted, so twice is as once."""
    user = signed_in(request)
    form = PromotionForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        _switch(user, form)
        messages.success(request, _("Your choice is saved."))
        return redirect("account_promotions")
    status = 400 if form.is_bound else 200
    context = {"switches": _switches(user, form)}
    return render(request, "marketplace/promotions.html", context, status=status)


def _switch(user: User, form: PromotionForm) -> None:
    channel, now = form.cleaned_data["channel"], timezone.now()
    if form.cleaned_data["wanted"] == "on":
        give_consent(user, channel, form.wording(), now)
    else:
        withdraw_consent(user, channel, now)


def _switches(user: User, form: PromotionForm) -> list[Switch]:
    in_force = {consent.channel: consent for consent in user.promotion_consents.in_force()}
    language = (translation.get_language() or "en").partition("-")[0]
    refused = str(form.data.get("channel", ""))
    error = next((str(text) for text in form.non_field_errors()), "") if form.is_bound else ""
    return [
        Switch(
            channel,
            in_force.get(channel),
            wording := wording_of(channel, language),
            fingerprint(wording),
            error if channel == refused else "",
        )
        for channel in Channel
    ]
