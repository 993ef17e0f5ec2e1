"""The account's home, its data as a download, and its end."""

from __future__ import annotations

from allauth.account.decorators import reauthentication_required
from allauth.account.models import EmailAddress
from allauth.mfa.utils import is_mfa_enabled
from allauth.usersessions.models import UserSession
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache

from marketplace.account_deletion import delete_account
from marketplace.account_export import export_lines
from marketplace.account_forms import DeleteAccountForm
from marketplace.methods import require_form, require_safe
from marketplace.people import signed_in


@require_safe
@login_required
def account_home(request: HttpRequest) -> HttpResponse:
    """Everything about the account, each part with the way to change it."""
    user = signed_in(request)
    addresses = EmailAddress.objects.filter(user=user, verified=False)
    context = {
        "new_address": addresses.exclude(email__iexact=user.email).order_by("-pk").first(),
        "has_two_factor": is_mfa_enabled(user),
        "session_count": UserSession.objects.filter(user=user).count(),
    }
    return render(request, "marketplace/account_home.html", context)


@require_safe
@never_cache
@login_required
@reauthentication_required
def export_data(request: HttpRequest) -> StreamingHttpResponse:
    """The person's data as a JSON file."""
    now = timezone.now()
    response = StreamingHttpResponse(
        export_lines(signed_in(request), now), content_type="application/json"
    )
    response["Content-Disposition"] = f'attachment; filename="marktlotse-{now:%Y-%m-%d}.json"'
    return response


@require_form
@never_cache
@login_required
@reauthentication_required
def delete(request: HttpRequest) -> HttpResponse:
    """Say what goes and what stays; delete once the person typed their address."""
    user = signed_in(request)
    form = DeleteAccountForm(request.POST or None, user=user)
    if request.method == "POST" and form.is_valid():
        delete_account(user.pk, timezone.now())
        logout(request)
        return redirect("account_deleted")
    return render(request, "marketplace/account_delete.html", {"form": form})


@require_safe
def deleted(request: HttpRequest) -> HttpResponse:
    """The goodbye. It knows nobody any more, so whoever opens it reads the same."""
    return render(request, "marketplace/account_deleted.html")
