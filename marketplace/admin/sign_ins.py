"""How people sign in: their second factors and open sessions. allauth's admins, in our lists."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Any

from allauth.mfa.admin import AuthenticatorAdmin
from allauth.mfa.models import Authenticator
from allauth.usersessions.admin import UserSessionAdmin
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from marketplace.admin.lists import ListAdmin
from marketplace.admin.lookups import Lookup, by_number, by_persons_address, by_persons_words

IP = re.compile(r"[0-9a-fA-F]*[.:][0-9a-fA-F.:]+")


def _from_address(rows: QuerySet[Any], text: str) -> QuerySet[Any]:
    try:
        return rows.filter(ip=str(ip_address(text)))
    except ValueError:
        return rows.none()


class SecondFactorAdmin(AuthenticatorAdmin, ListAdmin):
    """Without the secrets themselves; removing one lets somebody in who has lost theirs."""

    exclude = ("data",)
    list_select_related = ("user",)
    lookups = (by_number(), by_persons_address("user"), by_persons_words("user"))

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Only its person can set one up."""
        return False


class SessionAdmin(UserSessionAdmin, ListAdmin):
    """People here have no user name to be searched for."""

    lookups = (
        by_number(),
        Lookup(_("IP address"), IP, _from_address),
        by_persons_address("user"),
        by_persons_words("user"),
    )
    list_select_related = ("user",)


for model, model_admin in ((Authenticator, SecondFactorAdmin), (UserSession, SessionAdmin)):
    admin.site.unregister(model)
    admin.site.register(model, model_admin)
