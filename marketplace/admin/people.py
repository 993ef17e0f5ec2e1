"""Accounts in the admin, and who may give whom which rights."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth import admin as auth_admin
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.admin import TabularInline
from unfold.decorators import display
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from marketplace.admin.lists import ListAdmin
from marketplace.admin.lookups import ANYTHING, Lookup, by_number, by_own_address, people_called
from marketplace.admin.ranks import groups_within, is_superuser, outranks
from marketplace.models import Suspension, User


class _UniqueAddress(forms.ModelForm):
    """Says at the address field, not above the form, that somebody has the address."""

    def clean_email(self) -> str:
        email = User.objects.normalize_email(self.cleaned_data["email"])
        others = User.objects.exclude(pk=self.instance.pk)
        if email and others.filter(email__iexact=email).exists():
            raise forms.ValidationError(_("Somebody already uses this e-mail address."))
        return email


class PersonCreationForm(_UniqueAddress, UserCreationForm):
    """A new account with a hashed password."""

    class Meta:
        model = User
        fields = ("email", "name", "language")


class PersonChangeForm(_UniqueAddress, UserChangeForm):
    """An account; the password is changed on a page of its own."""

    class Meta:
        model = User
        fields = (
            "email",
            "password",
            "name",
            "language",
            "time_zone",
            "mail_hour",
            "mail_weekday",
            "mail_day_of_month",
            "is_active",
            "is_staff",
            "is_superuser",
            "groups",
            "user_permissions",
        )


class SuspensionInline(TabularInline):
    model = Suspension
    extra = 0
    fields = ("reason", "starts_at", "ends_at")


class RoleFilter(admin.SimpleListFilter):
    """People in one group, each once, without a join that must be made distinct."""

    title = _("role")
    parameter_name = "role"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        groups = Group.objects.order_by("name").values_list("pk", "name")
        return [(str(pk), name) for pk, name in groups]

    def queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> QuerySet[User]:
        if not (group := self.value()):
            return queryset
        return queryset.filter(pk__in=User.objects.filter(groups=int(group)).values("pk"))


class UserAdmin(auth_admin.UserAdmin, ListAdmin):
    """Accounts."""

    form = PersonChangeForm
    add_form = PersonCreationForm
    change_password_form = AdminPasswordChangeForm
    inlines = [SuspensionInline]
    # Plain lists: those with a filter have no names for screen readers.
    filter_horizontal = ()
    list_display = ("email", "name", "language", "is_active", "role", "date_joined")
    list_filter = ("is_active", "is_staff", "is_superuser", RoleFilter, "language")
    # Django asks whether people can be searched for; `lookups` say how.
    search_fields = ("pk",)
    lookups = (
        by_number(),
        by_own_address(),
        Lookup(_("beginnings of name or address"), ANYTHING, people_called),
    )
    ordering = ("-pk",)
    readonly_fields = ("last_login", "date_joined")
    fieldsets = (
        (None, {"fields": ("email", "password", "name", "language")}),
        (
            _("When mail comes"),
            {"fields": ("time_zone", "mail_hour", "mail_weekday", "mail_day_of_month")},
        ),
        (
            _("Rights"),
            {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")},
        ),
        (_("Dates"), {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = (
        (
            None,
            {
                "fields": (
                    "email",
                    "name",
                    "language",
                    "usable_password",
                    "password1",
                    "password2",
                )
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return super().get_queryset(request).prefetch_related("groups")

    @display(description=_("role"))
    def role(self, person: User) -> str:
        """Whoever may not open the admin has none."""
        if not person.is_staff:
            return "–"
        if person.is_superuser:
            return gettext("superuser")
        groups = ", ".join(group.name for group in person.groups.all())
        return groups or gettext("opens the admin, and sees nothing")

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Only a superuser makes superusers, and gives rights one by one."""
        own = super().get_readonly_fields(request, obj)
        return own if is_superuser(request) else (*own, "is_superuser", "user_permissions")

    def formfield_for_manytomany(self, db_field: Any, request: Any = None, **kwargs: Any) -> Any:
        """Nobody gives a role that may do more than they may themselves."""
        if db_field.name == "groups":
            kwargs["queryset"] = groups_within(request.user)
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_change_permission(request, obj) and not _is_above(obj, request)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_delete_permission(request, obj) and not _is_above(obj, request)


def _is_above(person: User | None, request: HttpRequest) -> bool:
    return person is not None and outranks(person, request.user)


admin.site.register(User, UserAdmin)
