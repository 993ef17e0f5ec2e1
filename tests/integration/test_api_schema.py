"""The API keeps what its OpenAPI description promises: schemathesis tries it, in this process."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import schemathesis
from django.core.cache import cache
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, given, settings
from pytest_django import Settings
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    ignored_auth,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from agents.models import ScheduledMailReport
from marketplace.models import User
from marketplace.personal_tokens import make_token
from tests.factories import AgentFactory, CompanyFactory, UserFactory

pytestmark = pytest.mark.django_db
SCHEMA = "/api/v1/openapi.json"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    ignored_auth,
    unsupported_method,
]


@pytest.fixture
def token(person: User, settings: Settings) -> str:
    """A token of somebody who may try as often as they like."""
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "api": "100000/s/key"}
    cache.clear()
    now = datetime.now(UTC)
    return make_token(person.pk, name="x", lasts=timedelta(days=1), now=now)[1]


@pytest.fixture(autouse=True)
def _connection_kept() -> Iterator[None]:
    """Requests from beside Django's test client would close the test's own connection."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def person() -> User:
    CompanyFactory.create_batch(3)
    person = UserFactory.create()
    AgentFactory.create_batch(2, user=person)
    return person


OPERATIONS = [
    "change_agent",
    "create_agent",
    "delete_agent",
    "get_agent",
    "list_agent_mails",
    "list_agents",
    "list_mails",
    "list_matches",
    "list_waiting",
    "pause_agent",
    "resume_agent",
]


@pytest.fixture
def schema() -> Any:
    return schemathesis.openapi.from_wsgi(SCHEMA, get_wsgi_application())


@pytest.mark.parametrize("mode", list(GenerationMode))
@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_keeps_its_promises(
    schema: Any, token: str, name: str, mode: GenerationMode
) -> None:
    operation = schema.find_operation_by_id(name)
    agent_id = ScheduledMailReport.objects.earliest("pk").pk

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=25,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def keeps_its_promises(case: Case) -> None:
        if mode is GenerationMode.POSITIVE and "agent_id" in case.path_parameters:
            case.path_parameters["agent_id"] = agent_id
        case.call_and_validate(headers={"Authorization": f"Bearer {token}"}, checks=CHECKS)

    keeps_its_promises()


def test_every_operation_is_tried(schema: Any) -> None:
    described = [result.ok() for result in schema.get_all_operations()]
    assert sorted(one.definition.raw["operationId"] for one in described) == OPERATIONS
