"""The admin of people: accounts, their addresses, suspensions, groups."""

from __future__ import annotations

from typing import Any

from allauth.account import admin as allauth_admin
from allauth.account.models import EmailAddress
from django import forms
from django.contrib import admin
from django.contrib.admin.views.main import ERROR_FLAG
from django.contrib.auth import admin as auth_admin
from django.contrib.auth.models import Group
from django.db import DataError, transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin, TabularInline
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from marketplace.consent import PromotionConsent
from marketplace.models import Suspension, User


class ListAdmin(ModelAdmin):
    """A list whose address holds what the database cannot read is shown without it, never a 500."""

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        if request.method != "GET" or ERROR_FLAG in request.GET:
            return super().changelist_view(request, extra_context)
        try:
            with transaction.atomic():
                return super().changelist_view(request, extra_context)
        except (DataError, ValueError):
            return HttpResponseRedirect(f"{request.path}?{ERROR_FLAG}=1")


class ReadOnlyAdmin(ListAdmin):
    """Rows that people look at and nobody edits by hand."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


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


class UserAdmin(auth_admin.UserAdmin, ListAdmin):
    """Accounts."""

    form = PersonChangeForm
    add_form = PersonCreationForm
    change_password_form = AdminPasswordChangeForm
    inlines = [SuspensionInline]
    list_display = ("email", "name", "language", "is_active", "is_staff", "date_joined")
    list_filter = ("is_active", "is_staff", "is_superuser", "language")
    search_fields = ("email", "name")
    ordering = ("-date_joined", "-pk")
    show_full_result_count = False
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


class InForceFilter(admin.SimpleListFilter):
    """Suspensions that bar somebody from mail right now, or do not."""

    title = _("in force")
    parameter_name = "in_force"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("yes", _("yes")), ("no", _("no"))]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Suspension]
    ) -> QuerySet[Suspension]:
        in_force = Suspension.objects.in_force(timezone.now()).values("pk")
        if self.value() == "yes":
            return queryset.filter(pk__in=in_force)
        return queryset.exclude(pk__in=in_force) if self.value() == "no" else queryset


@admin.register(Suspension)
class SuspensionAdmin(ListAdmin):
    list_display = ("user", "reason", "starts_at", "ends_at")
    list_filter = (InForceFilter,)
    list_select_related = ("user",)
    search_fields = ("user__email", "user__name", "reason")
    autocomplete_fields = ("user",)
    ordering = ("-starts_at",)


@admin.register(PromotionConsent)
class PromotionConsentAdmin(ReadOnlyAdmin):
    """The proof of who agreed to what: looked at, never edited."""

    list_display = ("user", "channel", "language", "given_at", "withdrawn_at")
    list_filter = ("channel", ("withdrawn_at", admin.EmptyFieldListFilter))
    list_select_related = ("user",)
    search_fields = ("user__email", "user__name")
    ordering = ("-pk",)
    show_full_result_count = False


class AddressAdmin(allauth_admin.EmailAddressAdmin, ListAdmin):
    """Addresses people have named, and which of them are confirmed."""

    list_select_related = ("user",)
    raw_id_fields = ()
    autocomplete_fields = ("user",)
    ordering = ("-pk",)
    show_full_result_count = False


class GroupAdmin(auth_admin.GroupAdmin, ListAdmin):
    """Groups of rights."""


admin.site.register(User, UserAdmin)
# The packages' own admins were registered by the imports above; ours wear the same design.
for model, model_admin in ((EmailAddress, AddressAdmin), (Group, GroupAdmin)):
    admin.site.unregister(model)
    admin.site.register(model, model_admin)
