"""The admin of quotas: limits that are checked, pausing and resuming, and why it is paused."""

from datetime import UTC, datetime

import pytest
from django.test import Client
from pytest_django import Settings

from marketplace.models import User
from notifications.models import ProviderQuota

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


def test_resuming_clears_the_pause(operator: Client, quota: ProviderQuota) -> None:
    ProviderQuota.objects.filter(pk="sendgrid").update(paused_at=NOW, pause_reason="401")
    form = {"action": "resume", "_selected_action": ["sendgrid"]}
    assert "1 is done." in operator.post(LIST, form, follow=True).content.decode()
    quota.refresh_from_db()
    assert (quota.is_paused, quota.pause_reason) == (False, "")
    page = operator.post(LIST, form, follow=True).content.decode()
    assert "1 was refused: it is not paused" in page


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
