"""Every list, add and change page of the admin opens; more rows cost no more queries."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db import connection
from django.db.models import Model
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask

from agents.models import ReportRun, ScheduledMailReport
from listings.models import Company, ExchangeRate, Industry, Region
from marketplace.models import Suspension, User
from marketplace.personal_tokens import PersonalToken, make_token
from notifications import ledger
from notifications.models import (
    DeadLetter,
    Delivery,
    DeliveryEvent,
    LimitChange,
    ProviderQuota,
    SpamReport,
    Suppression,
    UncertainDelivery,
)
from tests.factories import CompanyFactory, UserFactory, industry, region
from tests.factories.agents import AgentFactory
from tests.factories.deliveries import new

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC)


def _run(number: int) -> ReportRun:
    at = NOW - timedelta(hours=number)
    return ReportRun.objects.create(frequency="hourly", occurrence=at, cutoff=at, started_at=at)


def _crontab(number: int) -> CrontabSchedule:
    return CrontabSchedule.objects.create(minute=str(number))


MAKERS: dict[type[Model], Callable[[int], Any]] = {
    User: lambda n: UserFactory.create(),
    EmailAddress: lambda n: EmailAddress.objects.get(user=UserFactory.create()),
    Group: lambda n: Group.objects.create(name=f"group {n}"),
    Suspension: lambda n: Suspension.objects.create(user=UserFactory.create(), reason="abuse"),
    Company: lambda n: CompanyFactory.create(seller=UserFactory.create()),
    Industry: lambda n: industry(f"X{n}"),
    Region: lambda n: region(f"XX-{n}"),
    ScheduledMailReport: lambda n: AgentFactory.create(),
    ReportRun: _run,
    CrontabSchedule: _crontab,
    IntervalSchedule: lambda n: IntervalSchedule.objects.create(every=n + 1, period="hours"),
    PeriodicTask: lambda n: PeriodicTask.objects.create(
        name=f"task {n}", task="agents.tasks.nothing", crontab=_crontab(n)
    ),
}


def _troubled(state: str) -> Delivery:
    [pk] = ledger.open_deliveries([new(f"d:{uuid4()}", NOW)]).values()
    Delivery.objects.filter(pk=pk).update(state=state)
    return Delivery.objects.get(pk=pk)


def _event(number: int) -> DeliveryEvent:
    return DeliveryEvent.objects.create(
        provider="sendgrid", provider_event_id=str(uuid4()), kind="opened", happened_at=NOW,
        delivery=_troubled("sent"),
    )  # fmt: skip


MAKERS |= {
    Delivery: lambda n: _troubled("sent"),
    DeadLetter: lambda n: _troubled("dead"),
    UncertainDelivery: lambda n: _troubled("uncertain"),
    DeliveryEvent: _event,
    ProviderQuota: lambda n: ProviderQuota.of(f"p{n}", paused_at=NOW, pause_reason="401"),
    LimitChange: lambda n: LimitChange.objects.create(
        field="batch_size", before=n, after=n + 1, operator=UserFactory.create()
    ),
    SpamReport: lambda n: SpamReport.objects.create(email=f"s{n}@example.com"),
    Suppression: lambda n: Suppression.objects.create(email=f"s{n}@example.com"),
}


def _token(number: int) -> PersonalToken:
    person = UserFactory.create()
    day = timedelta(days=1)
    return make_token(person.pk, name=f"t{number}", lasts=day, now=datetime.now(UTC))[0]


MAKERS[PersonalToken] = _token

FILLED = {User, Industry, Region}  # never empty: the operator, and what the migrations bring


@pytest.fixture
def operator(client: Client) -> User:
    """A signed-in administrator."""
    user = UserFactory.create(is_staff=True, is_superuser=True)
    client.force_login(user)
    return user


def admin_url(model: type[Model], page: str, *args: object) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


@pytest.mark.parametrize("model", MAKERS, ids=lambda model: model.__name__)
def test_a_list_of_thirty_costs_the_queries_of_a_list_of_one(
    client: Client, operator: User, model: type[Model]
) -> None:
    make = MAKERS[model]
    if model not in FILLED:
        model._default_manager.all().delete()
    make(0)
    url = admin_url(model, "changelist")
    client.get(url)  # content types and the like are read once a process
    counts = []
    for numbers in (range(1, 2), range(2, 30)):
        for number in numbers:
            make(number)
        with CaptureQueriesContext(connection) as queries:
            response = client.get(url)
        assert response.status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("model", MAKERS, ids=lambda model: model.__name__)
def test_a_row_opens(client: Client, operator: User, model: type[Model]) -> None:
    row = MAKERS[model](1)
    assert client.get(admin_url(model, "change", row.pk)).status_code == 200


def test_every_registered_list_and_add_page_opens(
    client: Client, operator: User, rf: RequestFactory
) -> None:
    request = rf.get("/")
    request.user = operator
    opened = 0
    for model, model_admin in admin.site._registry.items():
        assert client.get(admin_url(model, "changelist"), follow=True).status_code == 200, model
        if model_admin.has_add_permission(request):
            assert client.get(admin_url(model, "add")).status_code == 200, model
        opened += 1
    assert opened >= len(MAKERS) + 1
    assert ExchangeRate in admin.site._registry


@pytest.mark.parametrize("model", [Company, User, ScheduledMailReport, Suspension])
def test_lists_can_be_searched_with_anything(
    client: Client, operator: User, model: type[Model]
) -> None:
    response = client.get(admin_url(model, "changelist"), {"q": "100% 'quoted' \\ _"})
    assert response.status_code == 200


ODD_LISTS = [
    ScheduledMailReport, Delivery, DeadLetter, UncertainDelivery, DeliveryEvent, ProviderQuota,
    SpamReport, Suppression,
]  # fmt: skip


@pytest.mark.parametrize("model", ODD_LISTS, ids=lambda model: model.__name__)
@pytest.mark.parametrize(
    "query",
    [
        "regions=x", "name=%00", "id=" + "9" * 30, "o=x&p=x", "q=%00", "kind=%00",
        "reported_at__year=99999", "email=%00", "delivery=x",
    ],
)  # fmt: skip
def test_an_address_the_database_cannot_read_is_no_server_error(
    client: Client, operator: User, query: str, model: type[Model]
) -> None:
    response = client.get(f"{admin_url(model, 'changelist')}?{query}", follow=True)
    assert response.status_code == 200


def test_guests_and_plain_members_stay_outside(client: Client) -> None:
    assert client.get("/admin/").status_code == 302
    client.force_login(UserFactory.create())
    assert client.get("/admin/").status_code == 302
