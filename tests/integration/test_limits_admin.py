"""The admin of limits and deliveries."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from marketplace.admin import CappedPaginator
from marketplace.models import User
from notifications.models import Delivery, DispatchLimits
from notifications.models.limits import BOUNDS
from tests.factories.deliveries import FakeSource, pending_deliveries

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
LIMITS_PAGE = "/admin/notifications/dispatchlimits/1/change/"


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("operator@example.com", "x"))
    return client


def limits_form(**changed: object) -> dict[str, object]:
    limits = DispatchLimits.current()
    names = [*BOUNDS, "uncertain_policy"]
    return {**{name: getattr(limits, name) for name in names}, **changed}


def test_the_list_opens_the_only_row(operator: Client) -> None:
    response = operator.get("/admin/notifications/dispatchlimits/")
    assert (response.status_code, response["Location"]) == (302, LIMITS_PAGE)
    assert operator.get(LIMITS_PAGE).status_code == 200


def test_every_limit_stands_in_the_form(operator: Client) -> None:
    DispatchLimits.current()
    form = operator.get(LIMITS_PAGE).context["adminform"].form
    assert set(form.fields) == {*BOUNDS, "uncertain_policy"}


def test_a_change_is_in_force_at_once(operator: Client) -> None:
    assert operator.post(LIMITS_PAGE, limits_form(batch_size=7)).status_code == 302
    assert DispatchLimits.current().batch_size == 7


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("batch_size", 0, "greater than or equal to 1."),
        ("batch_size", 1001, "less than or equal to 1000."),
        ("lease_seconds", 5, "greater than or equal to 30."),
        ("max_companies", -1, "greater than or equal to"),
        ("max_attempts", "many", "Enter a whole number."),
        ("max_mails_per_run", "", "This field is required."),
    ],
)
def test_a_wrong_value_is_named_at_its_field_and_changes_nothing(
    operator: Client, field: str, value: object, message: str
) -> None:
    before = limits_form()
    response = operator.post(LIMITS_PAGE, limits_form(**{field: value}))
    errors = response.context["adminform"].form.errors
    assert response.status_code == 200
    assert list(errors) == [field]
    assert message in errors[field][0]
    assert limits_form() == before


@pytest.mark.parametrize(
    "page",
    [
        "/admin/notifications/dispatchlimits/add/",
        "/admin/notifications/dispatchlimits/1/delete/",
        "/admin/notifications/delivery/add/",
    ],
)
def test_limits_and_deliveries_are_neither_added_nor_deleted(operator: Client, page: str) -> None:
    DispatchLimits.current()
    assert operator.get(page).status_code == 403


def test_deliveries_are_listed_filtered_found_and_read_only(operator: Client) -> None:
    FakeSource()
    pending_deliveries(3, NOW)
    Delivery.objects.filter(address="fake.1@example.com").update(state="dead", reason="refused")
    page = "/admin/notifications/delivery/"
    for query, found in [
        ("", 3),
        ("?state__exact=dead", 1),
        ("?kind=fake", 3),
        ("?kind=account", 0),
        ("?reason__exact=refused", 1),
        ("?q=FAKE.2@example.com", 1),
        ("?q=fake:0", 1),
        ("?q=nobody", 0),
    ]:
        assert len(operator.get(page + query).context["cl"].result_list) == found, query
    delivery = Delivery.objects.first()
    assert delivery is not None
    change = reverse("admin:notifications_delivery_change", args=[delivery.pk])
    assert operator.get(change).status_code == 200
    assert operator.post(change, {"state": "sent"}).status_code == 403


def test_the_list_of_deliveries_counts_no_further_than_it_pages(operator: Client) -> None:
    pending_deliveries(30, NOW)
    with CaptureQueriesContext(connection) as queries:
        operator.get("/admin/notifications/delivery/")
    counts = [query["sql"] for query in queries if "COUNT(" in query["sql"]]
    assert len(counts) == 1
    assert f"LIMIT {CappedPaginator.MOST + 1}" in counts[0]
