"""How people sign in: their second factors and open sessions. allauth's admins, in our lists."""

from __future__ import annotations

from allauth.mfa.admin import AuthenticatorAdmin
from allauth.mfa.models import Authenticator
from allauth.usersessions.admin import UserSessionAdmin
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.http import HttpRequest

from marketplace.admin.lists import ListAdmin


class SecondFactorAdmin(AuthenticatorAdmin, ListAdmin):
    """Without the secrets themselves; removing one lets somebody in who has lost theirs."""

    exclude = ("data",)
    list_select_related = ("user",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Only its person can set one up."""
        return False


class SessionAdmin(UserSessionAdmin, ListAdmin):
    """People here have no user name to be searched for."""

    search_fields = ("user__email", "ip")
    list_select_related = ("user",)


for model, model_admin in ((Authenticator, SecondFactorAdmin), (UserSession, SessionAdmin)):
    admin.site.unregister(model)
    admin.site.register(model, model_admin)
