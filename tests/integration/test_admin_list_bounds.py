"""No list of the admin costs more with a longer table: by its queries, orders and last page."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from marketplace.admin import CappedPaginator, ListAdmin, ShortListAdmin
from notifications.admin.ledger import DeliveryAdmin
from notifications.models import Delivery, Suppression
from tests.factories import UserFactory
from tests.factories.deliveries import pending_deliveries
from tests.integration.test_admin_pages import MAKERS, NOW

pytestmark = pytest.mark.django_db
LONG = [
    model
    for model, model_admin in admin.site._registry.items()
    if not isinstance(model_admin, ShortListAdmin)
]
# Each of these reads a whole table, or a whole join.
UNBOUNDED = re.compile(r"SELECT DISTINCT|LIKE |UPPER\(|DATE_TRUNC|DATETIME_TRUNC", re.IGNORECASE)


@pytest.fixture
def operator(client: Client) -> Client:
    """Signed in, with every right."""
    client.force_login(UserFactory.create(is_staff=True, is_superuser=True))
    return client


def path_of(model: type[Model]) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def ways_to_ask(client: Client, model: type[Model]) -> Iterator[str]:
    """Every address that the page offers, and searches of every shape."""
    shown = client.get(path_of(model)).context["cl"]
    yield ""
    for spec in shown.filter_specs:
        yield from (choice["query_string"] for choice in spec.choices(shown))
    for number in range(len(shown.list_display)):
        yield f"?o={number}"
    if shown.search_fields:
        for text in ("17", "ana@example.com", "a:1", "ana", "mlt_abc", "::1", "%", "'"):
            yield f"?q={text}"


def test_every_list_of_the_admin_is_one_of_ours() -> None:
    others = [each for each in admin.site._registry.values() if not isinstance(each, ListAdmin)]
    assert others == []
    assert len(LONG) >= 16


@pytest.mark.parametrize("model", LONG, ids=lambda model: model.__name__)
def test_no_query_of_a_long_list_reads_all_of_it(operator: Client, model: type[Model]) -> None:
    MAKERS[model](1) if model in MAKERS else None
    for query in list(ways_to_ask(operator, model)):
        with CaptureQueriesContext(connection) as captured:
            assert operator.get(path_of(model) + query, follow=True).status_code == 200
        table = model._meta.db_table
        asked = [row["sql"] for row in captured if f'FROM "{table}"' in row["sql"]]
        assert asked or query
        for sql in asked:
            assert not UNBOUNDED.search(sql), (query, sql)
            assert "COUNT(" not in sql or f"LIMIT {CappedPaginator.MOST + 1}" in sql, (query, sql)


@pytest.mark.parametrize("model", LONG, ids=lambda model: model.__name__)
def test_a_long_list_is_sorted_only_by_columns_with_an_index(
    operator: Client, model: type[Model]
) -> None:
    model_admin: Any = admin.site._registry[model]
    shown = operator.get(path_of(model)).context["cl"]
    assert model_admin.get_ordering(None) == ("-pk",)
    with connection.cursor() as cursor:
        constraints = connection.introspection.get_constraints(cursor, model._meta.db_table)
    indexed = {name for each in constraints.values() if each["index"] for name in each["columns"]}
    for column in model_admin.sortable_by:
        if column in shown.list_display:
            assert shown.get_ordering_field(column) in indexed
    for number, column in enumerate(shown.list_display):
        if column not in model_admin.sortable_by:
            page = operator.get(f"{path_of(model)}?o={number}").context["cl"]
            assert set(page.queryset.query.order_by) == {"-pk"}


MANY = [model for model in MAKERS if model in LONG]


@pytest.mark.parametrize("model", MANY, ids=lambda model: model.__name__)
def test_fifty_rows_cost_the_queries_of_five(operator: Client, model: type[Model]) -> None:
    for number in range(5):
        MAKERS[model](number)
    operator.get(path_of(model))
    counts = []
    for numbers in (range(0), range(5, 50)):
        for number in numbers:
            MAKERS[model](number)
        with CaptureQueriesContext(connection) as captured:
            response = operator.get(path_of(model))
        counts.append((len(captured), len(response.context["cl"].result_list) >= 50))
    assert counts[0][0] == counts[1][0]
    assert counts[1][1]


@pytest.fixture
def _three_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DeliveryAdmin, "list_per_page", 3)
    monkeypatch.setattr(CappedPaginator, "MOST", 6)


def messages_of(response: Any) -> list[str]:
    return [str(message) for message in response.context["messages"]]


@pytest.mark.usefixtures("_three_a_page")
def test_a_page_beyond_the_cap_is_the_last_one_and_says_why(operator: Client) -> None:
    ids = pending_deliveries(8, NOW)
    response = operator.get(path_of(Delivery) + "?p=3")
    assert [row.pk for row in response.context["cl"].result_list] == ids[::-1][3:6]
    assert messages_of(response) == [
        "Only the first 6 rows can be paged through; this is the last page. Search or choose a "
        "filter to find others."
    ]
    text = " ".join(response.content.decode().split())
    assert "There are more than 6 rows; the first 6 of this order are listed." in text


@pytest.mark.usefixtures("_three_a_page")
def test_a_page_that_is_not_there_is_named(operator: Client) -> None:
    ids = pending_deliveries(4, NOW)
    response = operator.get(path_of(Delivery) + "?p=9")
    assert [row.pk for row in response.context["cl"].result_list] == ids[:1]
    assert messages_of(response) == ["There is no page 9; the last one is 2."]
    assert "There are more than" not in response.content.decode()
    assert operator.get(path_of(Delivery) + "?p=0").context["cl"].page_num == 1


def test_facets_that_would_count_every_choice_are_not_offered(
    operator: Client, settings: Settings
) -> None:
    Suppression.objects.create(email="a@example.com")
    page = operator.get(path_of(Suppression) + "?_facets=True")
    assert page.context["cl"].add_facets is False
