"""The page of a person's tokens: make one, which is shown once, and revoke one."""

from __future__ import annotations

from datetime import timedelta

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from marketplace.methods import require_form, require_POST
from marketplace.people import signed_in
from marketplace.personal_tokens import (
    PersonalToken,
    UnableToAddToken,
    make_token,
    revoke_token,
)
from marketplace.token_forms import TokenForm


@require_form
@never_cache
@login_required
@reauthentication_required(allow_get=True)
def tokens(request: HttpRequest) -> HttpResponse:
    """The tokens that open the API, and a form for another; the answer to it shows the secret."""
    form = TokenForm(request.POST if request.method == "POST" else None)
    secret = _made(request, form) if form.is_valid() else ""
    now = timezone.now()
    context = {
        "form": TokenForm() if secret else form,
        "secret": secret,
        "tokens": signed_in(request).personal_tokens.filter(revoked_at=None).order_by("-pk"),
        "now": now,
    }
    return render(request, "marketplace/tokens.html", context)


def _made(request: HttpRequest, form: TokenForm) -> str:
    """The secret of the new token; '' when there may be none, which the form then says."""
    name, lasts = form.cleaned_data["name"], timedelta(days=form.cleaned_data["lasts"])
    try:
        _token, secret = make_token(
            signed_in(request).pk, name=name, lasts=lasts, now=timezone.now()
        )
    except UnableToAddToken as error:
        form.add_error("name", str(error))
        return ""
    return secret


@require_POST
@login_required
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """Revoke one of the person's own tokens; sent twice it does nothing more."""
    token = get_object_or_404(PersonalToken, pk=pk, user=signed_in(request))
    revoke_token(token, timezone.now())
    messages.success(request, _("“%(name)s” is revoked.") % {"name": token.name})
    return redirect("account_tokens")
