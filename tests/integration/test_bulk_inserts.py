"""Rows written in bulk: one statement, a row for each of a list, and conflicts left out."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.models import ReportedCompany
from agents.plan_writer import REPORTED_COLUMNS
from listings.models import Company
from marketplace.bulk import insert_rows
from tests.factories import AgentFactory, CompanyFactory

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 12, 2, tzinfo=UTC)


def write(*rows: tuple[object, ...]) -> list[str]:
    """Insert; the statements it took, savepoints left out."""
    with CaptureQueriesContext(
        connection,
    ) as queries:
        insert_rows("agents_reportedcompany", REPORTED_COLUMNS, rows, row_for_each="company_id")
    return [query["sql"] for query in queries if "SAVEPOINT" not in query["sql"]]


def shown() -> set[tuple[int, int, bool]]:
    return set(ReportedCompany.objects.values_list("agent", "company", "is_listed"))


def companies(number: int) -> list[Company]:
    return list(CompanyFactory.create_batch(number))


def test_a_row_is_stored_for_each_of_a_list_in_one_statement() -> None:
    agent, other = AgentFactory(), AgentFactory()
    first, second, third = (company.pk for company in companies(3))
    statements = write(
        (agent.pk, agent.user_id, [first, second], None, True, NOW),
        (other.pk, other.user_id, [third], None, False, NOW),
        (other.pk, other.user_id, [], None, True, NOW),
    )
    assert len(statements) == 1
    assert shown() == {
        (agent.pk, first, True), (agent.pk, second, True), (other.pk, third, False),
    }  # fmt: skip


def test_what_was_shown_already_is_left_out_and_the_rest_is_stored() -> None:
    agent, other = AgentFactory(), AgentFactory()
    first, second = (company.pk for company in companies(2))
    write((agent.pk, agent.user_id, [first], None, True, NOW))
    write(
        (agent.pk, agent.user_id, [first, second], None, False, NOW),
        (other.pk, other.user_id, [first], None, True, NOW),
    )
    assert shown() == {
        (agent.pk, first, True), (agent.pk, second, False), (other.pk, first, True),
    }  # fmt: skip


def test_nothing_to_write_asks_the_database_nothing() -> None:
    assert write() == []
