"""Personal tokens: whose, how they begin, when used. What opens the API is stored nowhere."""

from __future__ import annotations

import re
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from marketplace.admin.lists import ReadOnlyAdmin
from marketplace.admin.lookups import Lookup, by_number, by_persons_address, by_persons_words
from marketplace.personal_tokens import PREFIX_LENGTH, START, PersonalToken, revoke_token

TOKEN = re.compile(rf"{START}\S*")


def _beginning_like(rows: QuerySet[PersonalToken], text: str) -> QuerySet[PersonalToken]:
    """Whatever follows the part that is stored is left out."""
    return rows.filter(prefix=text[:PREFIX_LENGTH])


@admin.register(PersonalToken)
class PersonalTokenAdmin(ReadOnlyAdmin):
    """Looked at, and revoked when one has leaked."""

    fields = ("user", "name", "prefix", "created_at", "last_used_at", "expires_at", "revoked_at")
    list_display = fields
    list_filter = (("revoked_at", admin.EmptyFieldListFilter),)
    list_select_related = ("user",)
    lookups = (
        by_number(),
        Lookup(_("how a token begins"), TOKEN, _beginning_like),
        by_persons_address("user"),
        by_persons_words("user"),
    )
    actions = ("revoke",)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        """Nobody edits a token; who has the right to change one may revoke it."""
        return bool(request.user.has_perm("marketplace.change_personaltoken"))

    @admin.action(description=_("Revoke"), permissions=["revoke"])
    def revoke(
        self, request: HttpRequest, queryset: QuerySet[PersonalToken]
    ) -> HttpResponse | None:
        """Ask first; then none of them opens anything any more."""
        kept = queryset.filter(revoked_at=None)
        if "confirmed" not in request.POST:
            context: dict[str, Any] = {
                **self.admin_site.each_context(request),
                "title": _("Revoke"),
                "rows": kept,
                "opts": self.opts,
            }
            return TemplateResponse(request, "marketplace/admin/revoke_tokens.html", context)
        tokens = list(kept)
        for token in tokens:
            revoke_token(token, timezone.now())
            self.log_change(request, token, "Revoked.")
        count = len(tokens)
        text = ngettext("%(count)d token revoked.", "%(count)d tokens revoked.", count)
        self.message_user(request, text % {"count": count}, messages.SUCCESS)
        return None
