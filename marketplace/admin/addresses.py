"""People's addresses. A confirmed address opens an account, so ranks count here as well."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from allauth.account import admin as allauth_admin
from allauth.account.models import EmailAddress
from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from marketplace.admin.lists import ListAdmin
from marketplace.admin.lookups import by_number, by_own_address, by_persons_words
from marketplace.admin.ranks import outranks
from marketplace.models import User


class AddressForm(forms.ModelForm):
    """Refuses an address for somebody who stands above the one who adds it."""

    actor: Any = None

    def clean_user(self) -> User:
        person: User = self.cleaned_data["user"]
        if outranks(person, self.actor):
            raise forms.ValidationError(_("This person has more rights than you."))
        return person


class AddressAdmin(allauth_admin.EmailAddressAdmin, ListAdmin):
    """Addresses people have named, and which of them are confirmed."""

    form = AddressForm
    list_select_related = ("user",)
    raw_id_fields = ()
    autocomplete_fields = ("user",)
    lookups = (by_number(), by_own_address(), by_persons_words("user"))

    def get_search_fields(self, request: HttpRequest) -> Sequence[str]:
        """Ours, not those of the package."""
        return ListAdmin.get_search_fields(self, request)

    def get_form(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, **kwargs)
        form.actor = request.user
        return form

    def has_change_permission(self, request: HttpRequest, obj: EmailAddress | None = None) -> bool:
        return super().has_change_permission(request, obj) and not _is_above(obj, request)

    def has_delete_permission(self, request: HttpRequest, obj: EmailAddress | None = None) -> bool:
        return super().has_delete_permission(request, obj) and not _is_above(obj, request)

    @admin.action(
        description=_("Mark selected email addresses as verified"), permissions=["change"]
    )
    def make_verified(self, request: HttpRequest, queryset: QuerySet[EmailAddress]) -> None:
        above = [row.pk for row in queryset if _is_above(row, request)]
        super().make_verified(request, queryset.exclude(pk__in=above))


def _is_above(address: EmailAddress | None, request: HttpRequest) -> bool:
    return address is not None and outranks(address.user, request.user)


# The package's own admin was registered by the import above; ours wears the same design.
admin.site.unregister(EmailAddress)
admin.site.register(EmailAddress, AddressAdmin)
