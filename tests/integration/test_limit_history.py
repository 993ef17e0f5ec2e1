"""Every change of a limit is kept: who, when, from what to what; and each field says so."""

from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from marketplace.models import User
from notifications.limit_changes import save_limits
from notifications.limit_facts import QUOTA_UNITS, UNITS, facts_of
from notifications.models import DispatchLimits, LimitChange, ProviderQuota
from notifications.models.limits import BOUNDS
from tests.factories import UserFactory
from tests.integration.test_limits_admin import LIMITS_PAGE, limits_form

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 12, 2, 9, tzinfo=UTC)
QUOTA_PAGE = "/admin/notifications/providerquota/sendgrid/change/"


@pytest.fixture
def operator(client: Client) -> User:
    user = User.objects.create_superuser("operator@example.com", "x")
    client.force_login(user)
    return user


def history() -> list[tuple[object, ...]]:
    rows = LimitChange.objects.order_by("pk")
    return list(rows.values_list("provider", "field", "before", "after", "operator", "by_command"))


def test_the_page_of_limits_keeps_each_changed_field_and_no_other(
    client: Client, operator: User
) -> None:
    form = limits_form(batch_size=7, uncertain_policy="resend")
    assert client.post(LIMITS_PAGE, form).status_code == 302
    assert client.post(LIMITS_PAGE, form).status_code == 302
    assert history() == [
        ("", "batch_size", "100", "7", operator.pk, ""),
        ("", "uncertain_policy", "evidence", "resend", operator.pk, ""),
    ]


def test_the_page_of_a_provider_keeps_limits_that_came_and_went(
    client: Client, operator: User
) -> None:
    ProviderQuota.of("sendgrid", per_second=10)
    client.post(QUOTA_PAGE, {"per_second": "", "per_minute": "600", "per_day": ""})
    assert history() == [
        ("sendgrid", "per_second", "10", "", operator.pk, ""),
        ("sendgrid", "per_minute", "", "600", operator.pk, ""),
    ]


def test_a_wrong_value_leaves_no_history(client: Client, operator: User) -> None:
    assert client.post(LIMITS_PAGE, limits_form(batch_size=0)).status_code == 200
    assert history() == []


def test_each_field_says_its_unit_its_bounds_and_who_changed_it_last(
    client: Client, operator: User
) -> None:
    DispatchLimits.current()
    page = client.get(LIMITS_PAGE).content.decode()
    assert page.count("Never changed here.") == len(UNITS)
    assert "seconds: 30 to 3,600" in page
    client.post(LIMITS_PAGE, limits_form(lease_seconds=60))
    page = client.get(LIMITS_PAGE).content.decode()
    assert page.count("Never changed here.") == len(UNITS) - 1
    day = timezone.localtime(LimitChange.objects.get().changed_at)
    assert f"Changed from 300 to 60 by operator@example.com, {day:%m/%d/%Y}" in page
    assert ".m.." not in page
    ProviderQuota.of("sendgrid", per_second=10)
    assert "messages a day: 1 or more; empty: no limit" in client.get(QUOTA_PAGE).content.decode()


def test_the_history_below_the_form_names_fields_in_words_and_no_other_provider(
    client: Client, operator: User
) -> None:
    for name in ("sendgrid", "outbox"):
        row = ProviderQuota.of(name)
        row.per_day = 5
        save_limits(row, names=["per_day"], operator=f"<b>{name}</b>", now=NOW)
    page = client.get(QUOTA_PAGE).content.decode()
    assert "Messages per day</td>" in page
    assert "&lt;b&gt;sendgrid&lt;/b&gt;" in page
    assert "outbox&lt;/b&gt;" not in page


def test_a_long_history_leads_on_to_the_whole(client: Client, operator: User) -> None:
    DispatchLimits.current()
    LimitChange.objects.bulk_create(
        LimitChange(field="batch_size", before=n, after=n + 1, by_command="x") for n in range(30)
    )
    page = client.get(LIMITS_PAGE).content.decode()
    assert page.count("Deliveries per batch</td>") == 20
    whole = "/admin/notifications/limitchange/"
    assert f'href="{whole}"' in page
    assert len(client.get(whole).context["cl"].result_list) == 30


def test_the_page_costs_the_same_however_long_the_history(client: Client, operator: User) -> None:
    DispatchLimits.current()
    client.get(LIMITS_PAGE)
    counts = []
    for rows in (1, 19):
        LimitChange.objects.bulk_create(
            LimitChange(field="batch_size", before=1, after=2, operator=UserFactory.create())
            for _row in range(rows)
        )
        with CaptureQueriesContext(connection) as queries:
            client.get(LIMITS_PAGE)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_what_somebody_else_stored_meanwhile_stays_and_is_no_change() -> None:
    mine, theirs = DispatchLimits.current(), DispatchLimits.current()
    theirs.batch_size, theirs.max_attempts = 5, 3
    save_limits(theirs, names=["batch_size", "max_attempts"], operator="other", now=NOW)
    mine.batch_size = 5
    assert save_limits(mine, names=["batch_size"], operator="me", now=NOW) == []
    mine.max_companies = 2
    save_limits(mine, names=["max_companies"], operator="me", now=NOW)
    stored = DispatchLimits.current()
    assert (stored.batch_size, stored.max_attempts, stored.max_companies) == (5, 3, 2)
    assert history()[-1] == ("", "max_companies", "10", "2", None, "me")


def test_limits_and_history_are_stored_together_or_not_at_all() -> None:
    row = DispatchLimits.current()
    row.batch_size = 0
    with pytest.raises(IntegrityError), transaction.atomic():
        save_limits(row, names=["batch_size"], operator="me", now=NOW)
    assert history() == []


def test_who_is_named_when_the_account_is_gone(operator: User) -> None:
    row = DispatchLimits.current()
    row.batch_size = 5
    [change] = save_limits(row, names=["batch_size"], operator=operator, now=NOW)
    assert change.who == "operator@example.com"
    operator.delete()
    change.refresh_from_db()
    assert change.who == "somebody whose account was deleted"


def test_every_limit_has_its_unit_and_bounds() -> None:
    assert set(UNITS) == {*BOUNDS, "uncertain_policy"}
    facts = {fact.name: fact for fact in facts_of(DispatchLimits.current())}
    assert {name: (facts[name].lowest, facts[name].highest) for name in BOUNDS} == BOUNDS
    assert facts["uncertain_policy"].bounds == "one of: evidence, assume_sent, resend"
    assert [fact.name for fact in facts_of(ProviderQuota.of("x"))] == list(QUOTA_UNITS)


@pytest.mark.parametrize(
    "values",
    [
        {"field": "", "before": "1", "after": "2"},
        {"field": "x", "before": "1", "after": "1"},
    ],
)
def test_the_schema_refuses_a_change_that_is_none(values: dict[str, str]) -> None:
    with pytest.raises(IntegrityError):
        LimitChange.objects.create(**values)
