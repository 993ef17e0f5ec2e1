"""Each role of the admin may do what the matrix says, and nobody gains rights through it."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from allauth.account.models import EmailAddress
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission
from django.db.models import Model
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone
from django_celery_beat.models import CrontabSchedule, PeriodicTask

from agents.admin.schedule import next_firing
from agents.models import ReportRun
from config.admin_navigation import GROUPS, navigation
from marketplace.models import User
from marketplace.personal_tokens import PersonalToken, make_token
from marketplace.roles import (
    MATRIX,
    OPERATOR,
    ROLES,
    SUPERUSERS_ONLY,
    VIEWER,
    grant_roles,
    rights_of,
)
from notifications.models import Delivery
from tests.factories import AgentFactory, UserFactory
from tests.firing import publish
from tests.integration.test_admin_pages import MAKERS, admin_url

pytestmark = pytest.mark.django_db


def member(client: Client, role: str) -> User:
    """Somebody in the role, signed in; no superuser."""
    grant_roles(apps)
    user = UserFactory.create(is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    client.force_login(user)
    return user


def registered() -> dict[str, type[Model]]:
    return {model._meta.label_lower: model for model in admin.site._registry}


def test_every_model_of_the_admin_has_its_line_in_the_matrix_and_its_place_in_the_sidebar() -> None:
    assert set(registered()) == set(MATRIX) | SUPERUSERS_ONLY
    in_sidebar = [label for _title, entries in GROUPS for _name, _icon, label in entries]
    assert sorted(in_sidebar) == sorted(registered())


@pytest.mark.parametrize("role", ROLES)
def test_the_migration_gives_each_role_its_rights(role: str) -> None:
    grant_roles(apps)
    held = Permission.objects.filter(group__name=role)
    stored = {f"{p.content_type.app_label}.{p.codename}" for p in held}
    expected = {
        f"{label.split('.')[0]}.{verb}_{label.split('.')[1]}" for label, verb in rights_of(role)
    }
    assert stored == expected


@pytest.mark.parametrize("label", sorted({*MATRIX, *SUPERUSERS_ONLY}))
@pytest.mark.parametrize("role", ROLES)
def test_each_role_opens_what_it_may_see_and_nothing_else(
    client: Client, rf: RequestFactory, role: str, label: str
) -> None:
    user, model = member(client, role), registered()[label]
    rights = {verb for name, verb in rights_of(role) if name == label}
    expected = 200 if rights & {"view", "change"} else 403
    opened = client.get(admin_url(model, "changelist"), follow=True)
    assert opened.status_code == expected
    if model in MAKERS:
        row = MAKERS[model](1)
        assert client.get(admin_url(model, "change", row.pk)).status_code == expected
    request = rf.get("/")
    request.user = user
    model_admin = admin.site._registry[model]
    may_add = "add" in rights and model_admin.has_add_permission(request)
    added = client.get(admin_url(model, "add"))
    assert added.status_code == (200 if may_add else 403)
    links = [item["link"] for group in navigation(request) for item in group["items"]]
    assert (admin_url(model, "changelist") in links) == (expected == 200)


@pytest.mark.parametrize("label", sorted(MATRIX))
def test_a_viewer_finds_no_action_anywhere(client: Client, rf: RequestFactory, label: str) -> None:
    request = rf.get("/")
    request.user = member(client, VIEWER)
    model_admin = admin.site._registry[registered()[label]]
    assert set(model_admin.get_actions(request)) == set()
    assert not model_admin.has_change_permission(request)


def test_an_operator_runs_an_agent_after_being_asked_and_twice_is_once(client: Client) -> None:
    operator = member(client, OPERATOR)
    agent = AgentFactory.create(next_run_at=datetime.now(UTC) + timedelta(days=3))
    publish("Oak mill")
    address = reverse("admin:agents_scheduledmailreport_run_now", args=[agent.pk])
    page = client.get(address)
    assert "Oak mill" in page.content.decode()
    assert not ReportRun.objects.exists()
    for _click in range(2):
        answer = client.post(address, {"ticket": page.context["ticket"]}, follow=True)
        assert "A mail is planned" in answer.content.decode()
    assert Delivery.objects.filter(kind="digest").count() == 1
    entry = LogEntry.objects.filter(user=operator).last()
    assert entry is not None
    assert entry.object_id == str(agent.pk)


def test_a_viewer_previews_an_agent_and_may_not_run_it(client: Client) -> None:
    member(client, VIEWER)
    agent = AgentFactory.create()
    publish("Oak mill")
    preview = reverse("admin:agents_scheduledmailreport_preview", args=[agent.pk])
    assert "Oak mill" in client.get(preview).content.decode()
    run = reverse("admin:agents_scheduledmailreport_run_now", args=[agent.pk])
    assert client.get(run).status_code == client.post(run).status_code == 403
    assert not ReportRun.objects.exists()


def test_the_page_of_a_person_says_why_no_mail(client: Client) -> None:
    member(client, VIEWER)
    person = UserFactory.create(is_verified=False)
    page = client.get(admin_url(User, "change", person.pk)).content.decode()
    assert "This person may not get mail." in page
    assert "The link in the confirmation mail was not used yet." in page
    mails = f"{reverse('admin:notifications_delivery_changelist')}?user__id={person.pk}"
    assert mails in page
    assert client.get(mails).status_code == 200


def test_a_runs_page_links_to_its_mails(client: Client) -> None:
    member(client, VIEWER)
    run = MAKERS[ReportRun](1)
    address = f"/admin/notifications/delivery/?kind=digest&amp;subject_id={run.pk}"
    assert address in client.get(admin_url(ReportRun, "change", run.pk)).content.decode()
    assert client.get(address.replace("&amp;", "&")).status_code == 200


def _person_form(person: User, **values: object) -> dict[str, object]:
    return {
        "email": person.email, "name": person.name, "language": "en",
        "time_zone": "Europe/Berlin", "mail_hour": 7, "mail_weekday": 0, "mail_day_of_month": 1,
        "is_active": "on", "suspensions-TOTAL_FORMS": 0, "suspensions-INITIAL_FORMS": 0, **values,
    }  # fmt: skip


def test_an_admin_makes_nobody_a_superuser_and_gives_roles_within_their_own(
    client: Client,
) -> None:
    me = member(client, "admin")
    every = Group.objects.create(name="everything")
    every.permissions.set(Permission.objects.all())
    url = admin_url(User, "change", me.pk)
    own = me.groups.get()
    form = _person_form(me, is_staff="on", is_superuser="on", groups=[own.pk])
    assert client.post(url, form).status_code == 302
    me.refresh_from_db()
    assert not me.is_superuser
    client.post(url, {**form, "groups": [own.pk, every.pk]})
    assert list(me.groups.all()) == [own]
    person = UserFactory.create()
    viewer = Group.objects.get(name=VIEWER)
    form = _person_form(person, is_staff="on", groups=[viewer.pk])
    assert client.post(admin_url(User, "change", person.pk), form).status_code == 302
    assert list(person.groups.all()) == [viewer]


def test_an_admin_touches_neither_account_nor_password_nor_address_of_a_superuser(
    client: Client,
) -> None:
    member(client, "admin")
    root = UserFactory.create(is_staff=True, is_superuser=True)
    form = _person_form(root, email="mine@example.com")
    assert client.post(admin_url(User, "change", root.pk), form).status_code == 403
    password = reverse("admin:auth_user_password_change", args=[root.pk])
    assert client.post(password, {}).status_code == 403
    assert client.post(admin_url(User, "delete", root.pk), {"post": "yes"}).status_code == 403
    mine = {"user": root.pk, "email": "mine@example.com", "verified": "on"}
    answer = client.post(admin_url(EmailAddress, "add"), mine)
    assert "This person has more rights than you." in answer.content.decode()
    address = EmailAddress.objects.create(user=root, email="x@example.com", verified=False)
    assert client.post(admin_url(EmailAddress, "change", address.pk), mine).status_code == 403
    action = {"action": "make_verified", "_selected_action": [address.pk]}
    client.post(admin_url(EmailAddress, "changelist"), action)
    address.refresh_from_db()
    assert not address.verified


def test_a_token_is_revoked_after_being_asked_and_its_hash_is_nowhere(client: Client) -> None:
    member(client, OPERATOR)
    person = UserFactory.create()
    token, _secret = make_token(
        person.pk, name=str(uuid4()), lasts=timedelta(days=1), now=timezone.now()
    )
    url = admin_url(PersonalToken, "changelist")
    action = {"action": "revoke", "_selected_action": [token.pk]}
    assert "Revoke these tokens?" in client.post(url, action).content.decode()
    token.refresh_from_db()
    assert token.revoked_at is None
    assert (
        token.hash not in client.get(admin_url(PersonalToken, "change", token.pk)).content.decode()
    )
    client.post(url, {**action, "confirmed": "1"})
    token.refresh_from_db()
    assert token.revoked_at is not None


def test_an_operator_moves_the_daily_task_and_a_wrong_time_is_refused_at_its_field(
    client: Client,
) -> None:
    member(client, OPERATOR)
    task = PeriodicTask.objects.get(name="Daily search agents")
    url = admin_url(CrontabSchedule, "change", task.crontab.pk)
    times = {
        "minute": "61", "hour": "9", "day_of_month": "*", "month_of_year": "*",
        "day_of_week": "*", "timezone": "Europe/Berlin",
    }  # fmt: skip
    assert "61" in str(client.post(url, times).context["errors"])
    assert client.post(url, {**times, "minute": "30"}).status_code == 302
    task = PeriodicTask.objects.get(name="Daily search agents")
    at = next_firing(task, timezone.now())
    assert at is not None
    assert f"{timezone.localtime(at, task.crontab.timezone):%H:%M}" == "09:30"
    assert timezone.now() < at <= timezone.now() + timedelta(days=1)
