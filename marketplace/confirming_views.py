"""The mailed link that confirms an address, also when it is followed or pressed twice."""

from __future__ import annotations

from typing import Any

from allauth.account import app_settings
from allauth.account.models import EmailAddress
from allauth.account.views import ConfirmEmailView
from django.contrib import messages
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

DAY = 86_400


class ConfirmView(ConfirmEmailView):
    """allauth's page; what was confirmed before is confirmed, not an error."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Confirm, or say that it is done already, or that the link does not work."""
        if (address := _confirmed_before(self.kwargs["key"])) is not None:
            messages.success(
                request, _("The address %(email)s is confirmed.") % {"email": address.email}
            )
            is_own = request.user.pk == address.user_id
            return redirect("account_email" if is_own else "account_login")
        try:
            response: HttpResponse = super().dispatch(request, *args, **kwargs)
        except Http404:
            # Only sent forms end here: read by GET, the page says what is wrong with the link.
            return redirect(request.path)
        return response


def _confirmed_before(key: str) -> EmailAddress | None:
    """The address of a link that is valid and has been used; None for every other link."""
    lasts = app_settings.EMAIL_CONFIRMATION_EXPIRE_DAYS * DAY
    try:
        pk = signing.loads(key, max_age=lasts, salt=app_settings.SALT)
    except signing.BadSignature:  # an expired one as well
        return None
    return EmailAddress.objects.filter(pk=pk, verified=True).first()


confirm = ConfirmView.as_view()
