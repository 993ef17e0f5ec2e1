"""Groups of rights: the three roles, and what an admin adds to them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth import admin as auth_admin
from django.contrib.auth.models import Group, Permission
from django.http import HttpRequest

from marketplace.admin.lists import ShortListAdmin
from marketplace.admin.ranks import groups_within, rights_within
from marketplace.roles import ROLES


class GroupAdmin(auth_admin.GroupAdmin, ShortListAdmin):
    """Nobody changes a group that may do more than they may, or gives it more than they have."""

    # A plain list: the one with a filter has no names for screen readers.
    filter_horizontal = ()

    def formfield_for_manytomany(self, db_field: Any, request: Any = None, **kwargs: Any) -> Any:
        if db_field.name == "permissions":
            kwargs["queryset"] = Permission.objects.filter(
                pk__in=rights_within(request.user).values("pk")
            )
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def has_change_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return super().has_change_permission(request, obj) and _is_within(obj, request)

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        """The three roles stay."""
        is_role = obj is not None and obj.name in ROLES
        may = super().has_delete_permission(request, obj)
        return may and not is_role and _is_within(obj, request)


def _is_within(group: Group | None, request: HttpRequest) -> bool:
    return group is None or groups_within(request.user).filter(pk=group.pk).exists()


# Django's own admin was registered by the import above; ours wears the same design.
admin.site.unregister(Group)
admin.site.register(Group, GroupAdmin)
