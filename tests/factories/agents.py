"""Search agents that have watched for a day and are due."""

from datetime import UTC, datetime, timedelta

import factory

from agents.frequency import Frequency
from agents.models import ScheduledMailReport
from tests.factories.people import UserFactory


class AgentFactory(factory.django.DjangoModelFactory[ScheduledMailReport]):
    """A daily agent for everything; due now, told until yesterday."""

    class Meta:
        model = ScheduledMailReport

    user = factory.SubFactory(UserFactory)
    name = factory.Sequence(lambda n: f"Search {n}")
    frequency = Frequency.DAILY
    watching_since = factory.LazyFunction(lambda: datetime.now(UTC) - timedelta(days=1))
    matched_until = factory.SelfAttribute("watching_since")
    next_run_at = factory.LazyFunction(lambda: datetime.now(UTC) - timedelta(minutes=1))


def agent_form(**values: object) -> dict[str, object]:
    """What the form of an agent sends, unless `values` says otherwise."""
    return {"name": "Sawmills", "frequency": "daily", **values}
