"""Pages of staff only for who signed in with a second factor, where ADMIN_REQUIRES_MFA says so."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

PAGES = ("/admin/", "/operations/", "/staff/")
# Whoever has to leave may.
FREE = ("/admin/logout/", "/admin/login/")


class StaffSecondFactorMiddleware:
    """Leads staff to set a second factor up, or to use it, before they see a page of staff."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The page, or the way to the second factor and back."""
        if settings.ADMIN_REQUIRES_MFA and _is_for_staff(request.path_info):
            user = request.user
            if user.is_authenticated and user.is_staff and not _has_used_it(request):
                return _to_second_factor(request)
        return self.get_response(request)


def _is_for_staff(path: str) -> bool:
    return path.startswith(PAGES) and path not in FREE


def _has_used_it(request: HttpRequest) -> bool:
    """allauth keeps in the session by what a person has proved who they are."""
    methods = request.session.get("account_authentication_methods", [])
    return is_mfa_enabled(request.user) and any(each.get("method") == "mfa" for each in methods)


def _to_second_factor(request: HttpRequest) -> HttpResponseBase:
    has_one = is_mfa_enabled(request.user)
    if not has_one:
        messages.warning(request, _("Staff need two-factor sign-in. Please set it up."))
    page = reverse("mfa_reauthenticate" if has_one else "mfa_activate_totp")
    return HttpResponseRedirect(f"{page}?{urlencode({'next': request.get_full_path()})}")
