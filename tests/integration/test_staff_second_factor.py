"""Pages of staff are only for who signed in with a second factor, where the setting says so."""

import time

import pytest
from allauth.mfa.totp.internal.auth import TOTP
from django.contrib import admin
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from marketplace.models import User
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
OTHERS = ["/operations/", "/operations/figures/", "/staff/mails/", "/staff/mails/welcome/en/"]


@pytest.fixture(autouse=True)
def _required(settings: Settings) -> None:
    settings.ADMIN_REQUIRES_MFA = True


@pytest.fixture
def staff() -> User:
    return UserFactory.create(is_staff=True, is_superuser=True)


def signed_in(client: Client, user: User, *methods: str) -> Client:
    client.force_login(user)
    session = client.session
    session["account_authentication_methods"] = [
        {"method": method, "at": time.time()} for method in methods
    ]
    session.save()
    return client


def pages() -> list[str]:
    lists = [
        reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        for model in admin.site._registry
    ]
    return ["/admin/", *lists, *OTHERS]


def test_who_has_none_is_led_to_set_one_up(client: Client, staff: User) -> None:
    browser = signed_in(client, staff, "password")
    for page in pages():
        response = browser.get(page)
        assert response.status_code == 302, page
        assert response["Location"].startswith("/accounts/2fa/totp/activate/?next="), page
    said = browser.get(response["Location"], follow=True).content.decode()
    assert "Staff need two-factor sign-in." in said


@pytest.mark.parametrize("method", ["password", "code"])
def test_who_has_not_used_it_is_asked_for_it(client: Client, staff: User, method: str) -> None:
    TOTP.activate(staff, "JBSWY3DPEHPK3PXP")
    browser = signed_in(client, staff, method)
    for page in pages():
        assert browser.get(page)["Location"].startswith("/accounts/2fa/reauthenticate/?next=")
    assert browser.get("/accounts/2fa/reauthenticate/?next=/admin/").status_code == 200


def test_who_has_used_it_sees_all(client: Client, staff: User) -> None:
    TOTP.activate(staff, "JBSWY3DPEHPK3PXP")
    browser = signed_in(client, staff, "password", "mfa")
    for page in pages():
        assert "/2fa/" not in browser.get(page).get("Location", ""), page
    assert browser.get("/admin/").status_code == 200


def test_others_notice_nothing(client: Client, staff: User, settings: Settings) -> None:
    browser = signed_in(client, UserFactory.create(), "password")
    assert browser.get("/agents/").status_code == 200
    settings.ADMIN_REQUIRES_MFA = False
    assert signed_in(client, staff, "password").get("/admin/").status_code == 200
