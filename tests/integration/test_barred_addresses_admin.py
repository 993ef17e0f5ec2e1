"""Barred addresses and spam reports by hand: a reason comes first, and who did it is logged."""

from typing import Any

import pytest
from django.contrib.admin.models import ADDITION, DELETION, LogEntry
from django.contrib.auth.models import Permission
from django.test import Client

from marketplace.models import User
from notifications.models import SpamReport, Suppression
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
BARRED = "/admin/notifications/suppression/"
REPORTS = "/admin/notifications/spamreport/"


@pytest.fixture
def operator(client: Client) -> User:
    user = User.objects.create_superuser("operator@example.com", "x")
    client.force_login(user)
    return user


def logged() -> list[tuple[Any, ...]]:
    entries = LogEntry.objects.order_by("pk")
    return list(entries.values_list("user", "action_flag", "object_repr", "change_message"))


def test_an_address_is_barred_by_hand_once_in_any_case_and_with_a_reason(
    client: Client, operator: User
) -> None:
    form = {"email": " ana@example.com ", "note": "asked by phone", "cause": "bounce"}
    unsaid = client.post(f"{BARRED}add/", {**form, "note": " "})
    assert unsaid.context["adminform"].form.errors == {"note": ["This field is required."]}
    assert client.post(f"{BARRED}add/", form).status_code == 302
    again = client.post(f"{BARRED}add/", {**form, "email": "ANA@example.com"})
    assert "This address is suppressed already." in again.content.decode()
    row = Suppression.objects.get()
    assert (row.email, row.cause, row.note) == ("ana@example.com", "manual", "asked by phone")
    assert logged() == [(operator.pk, ADDITION, "ana@example.com", "By hand: asked by phone")]


def test_a_spam_report_is_entered_with_a_reason(client: Client, operator: User) -> None:
    form = {"email": "ana@example.com", "source": "phone"}
    unsaid = client.post(f"{REPORTS}add/", form)
    assert unsaid.context["adminform"].form.errors == {"reason": ["This field is required."]}
    assert client.post(f"{REPORTS}add/", {**form, "reason": "[1]"}).status_code == 302
    row = SpamReport.objects.get()
    assert (row.email, row.source) == ("ana@example.com", "phone")
    assert logged() == [(operator.pk, ADDITION, "ana@example.com", "By hand: [1]")]
    history = client.get(f"{REPORTS}{row.pk}/history/").content.decode()
    assert "By hand: [1]" in history


@pytest.mark.parametrize(("url", "model"), [(BARRED, Suppression), (REPORTS, SpamReport)])
def test_the_page_of_one_says_what_removing_does_and_removes_when_confirmed(
    client: Client, operator: User, url: str, model: type[Suppression] | type[SpamReport]
) -> None:
    row = model.objects.create(email="ana@example.com")
    page = client.get(f"{url}{row.pk}/delete/").content.decode()
    assert "Let mail go to ana@example.com again?" in page
    assert "What was not sent meanwhile is not sent later." in page
    assert model.objects.exists()
    client.post(f"{url}{row.pk}/delete/", {"post": "yes"})
    assert not model.objects.exists()
    assert [entry[:3] for entry in logged()] == [(operator.pk, DELETION, "ana@example.com")]


@pytest.mark.parametrize(("url", "model"), [(BARRED, Suppression), (REPORTS, SpamReport)])
def test_many_are_removed_with_a_note_which_is_logged_with_each(
    client: Client, operator: User, url: str, model: type[Suppression] | type[SpamReport]
) -> None:
    rows = [model.objects.create(email=f"{name}@example.com") for name in "abc"]
    form = {"action": "free", "_selected_action": [row.pk for row in rows[:2]]}
    asked = client.post(url, form)
    assert "Let mail go to these addresses again?" in asked.content.decode()
    assert model.objects.count() == 3
    form |= {"confirmed": "1", "note": "server mended", "chosen": asked.context["chosen"]}
    assert "2 are done." in client.post(url, form, follow=True).content.decode()
    assert [row.email for row in model.objects.all()] == ["c@example.com"]
    assert logged() == [
        (operator.pk, DELETION, f"{name}@example.com", "Removed: server mended") for name in "ab"
    ]


@pytest.mark.parametrize(("url", "model"), [(BARRED, Suppression), (REPORTS, SpamReport)])
def test_djangos_own_removal_without_a_reason_is_gone(
    client: Client, operator: User, url: str, model: type[Suppression] | type[SpamReport]
) -> None:
    row = model.objects.create(email="a@example.com")
    form = {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
    client.post(url, form)
    assert model.objects.exists()


def test_who_may_only_look_removes_nothing(client: Client) -> None:
    reader = UserFactory.create(is_staff=True)
    reader.user_permissions.set(Permission.objects.filter(codename="view_suppression"))
    client.force_login(reader)
    row = Suppression.objects.create(email="a@example.com")
    form = {"action": "free", "_selected_action": [row.pk], "confirmed": "1", "note": "x"}
    client.post(BARRED, form)
    assert client.post(f"{BARRED}{row.pk}/delete/", {"post": "yes"}).status_code == 403
    assert Suppression.objects.exists()


def test_an_address_never_turns_into_another_one(client: Client, operator: User) -> None:
    row = Suppression.objects.create(email="a@example.com", cause="bounce", note="550")
    form = {"email": "b@example.com", "cause": "manual", "note": "checked by phone"}
    assert client.post(f"{BARRED}{row.pk}/change/", form).status_code == 302
    row.refresh_from_db()
    assert (row.email, row.cause, row.note) == ("a@example.com", "bounce", "checked by phone")
    report = SpamReport.objects.create(email="a@example.com")
    assert client.get(f"{REPORTS}{report.pk}/change/").status_code == 200
    assert client.post(f"{REPORTS}{report.pk}/change/", form).status_code == 403
