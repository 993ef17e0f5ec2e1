"""The admin of quotas: limits that are checked, pausing and resuming, and why it is paused."""

from datetime import UTC, datetime

import pytest
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.test import Client
from pytest_django import Settings

from marketplace.models import User
from marketplace.roles import ADMIN, OPERATOR, VIEWER, grant_roles
from notifications.models import ProviderQuota
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC)
LIST = "/admin/notifications/providerquota/"
PAGE = f"{LIST}sendgrid/change/"


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("operator@example.com", "x"))
    return client


@pytest.fixture
def quota() -> ProviderQuota:
    return ProviderQuota.of("sendgrid", per_second=10)


def test_the_providers_in_use_stand_in_the_list(operator: Client, settings: Settings) -> None:
    settings.EMAIL_PROVIDER, settings.SMS_PROVIDER = "sendgrid", ""
    assert "sendgrid" in operator.get(LIST).content.decode()
    assert operator.get(f"{LIST}add/").status_code == 403


def test_limits_are_changed_and_emptied(operator: Client, quota: ProviderQuota) -> None:
    form = {"per_second": "", "per_minute": "600", "per_day": ""}
    assert operator.post(PAGE, form).status_code == 302
    quota.refresh_from_db()
    assert (quota.per_second, quota.per_minute, quota.per_day) == (None, 600, None)


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"per_second": "0"}, "greater than or equal to 1."),
        ({"per_second": "-1"}, "greater than or equal to"),
        ({"per_second": "many"}, "Enter a whole number."),
        ({"per_day": "9" * 30}, "less than or equal to"),
        ({"per_second": "11", "per_minute": "10"}, "A minute must allow at least as much"),
    ],
)
def test_a_limit_that_is_none_is_an_error(
    operator: Client, quota: ProviderQuota, form: dict[str, str], message: str
) -> None:
    response = operator.post(PAGE, form)
    assert response.status_code == 200
    assert message in response.content.decode()
    quota.refresh_from_db()
    assert quota.per_second == 10


def test_a_paused_provider_says_why_in_the_list_and_on_its_page(
    operator: Client, quota: ProviderQuota
) -> None:
    ProviderQuota.objects.filter(pk="sendgrid").update(
        paused_at=NOW, pause_reason="The provider refuses our key: 401 <expired>"
    )
    for url in (LIST, PAGE):
        page = operator.get(url).content.decode()
        assert "sendgrid is paused: nothing" in page
        assert "The provider refuses our key: 401 &lt;expired&gt;" in page


def test_resuming_asks_why_clears_the_pause_and_is_logged(
    operator: Client, quota: ProviderQuota
) -> None:
    ProviderQuota.objects.filter(pk="sendgrid").update(paused_at=NOW, pause_reason="401")
    form = {"action": "resume", "_selected_action": ["sendgrid"]}
    page = operator.post(LIST, form).content.decode()
    assert "Send through these providers again?" in page
    quota.refresh_from_db()
    assert quota.is_paused
    form |= {"confirmed": "1", "note": "the key is new"}
    assert "1 is done." in operator.post(LIST, form, follow=True).content.decode()
    quota.refresh_from_db()
    assert (quota.is_paused, quota.pause_reason) == (False, "")
    page = operator.post(LIST, form, follow=True).content.decode()
    assert "1 was refused: it is not paused" in page
    entry = LogEntry.objects.get()
    assert entry.user.email == "operator@example.com"
    assert (entry.object_id, entry.change_message) == ("sendgrid", "Resumed: the key is new")


@pytest.mark.parametrize(("role", "is_paused"), [(VIEWER, False), (OPERATOR, True), (ADMIN, True)])
def test_operators_pause_though_they_may_not_change_limits(
    client: Client, quota: ProviderQuota, role: str, is_paused: bool
) -> None:
    grant_roles(apps)
    user = UserFactory.create(is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    client.force_login(user)
    form = {"action": "pause", "_selected_action": ["sendgrid"], "confirmed": "1", "note": "moving"}
    client.post(LIST, form)
    quota.refresh_from_db()
    assert quota.is_paused is is_paused
    logged = LogEntry.objects.values_list("user", "change_message")
    assert list(logged) == ([(user.pk, "Paused: moving")] if is_paused else [])
    may_tune = client.post(PAGE, {"per_second": "3"}).status_code
    assert may_tune == (302 if role == ADMIN else 403)


def test_pausing_asks_why_and_keeps_the_first_reason(
    operator: Client, quota: ProviderQuota
) -> None:
    form = {"action": "pause", "_selected_action": ["sendgrid"]}
    assert "Pause these providers?" in operator.post(LIST, form).content.decode()
    for note in ("moving to a new account", "again"):
        operator.post(LIST, {**form, "confirmed": "1", "note": note}, follow=True)
    quota.refresh_from_db()
    assert quota.is_paused
    assert quota.pause_reason == "moving to a new account (operator@example.com)"
