"""Edits between the reading of a run's index and of its agents: nothing lost, nothing repeated."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agents import runs
from agents.editing import change_agent
from agents.models import DigestSection, ScheduledMailReport
from listings.criteria import Criteria
from notifications.models import Delivery
from tests.factories import AgentFactory
from tests.firing import fire_and_read, publish

pytestmark = pytest.mark.django_db


@pytest.fixture
def edit_in_between(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], None]:
    """Do something once, right before the next run locks its agents."""
    real = runs.read_due

    def arrange(edit: Callable[[], Any]) -> None:
        def edited_first(*args: Any, **kwargs: Any) -> Any:
            monkeypatch.setattr(runs, "read_due", real)
            edit()
            return real(*args, **kwargs)

        monkeypatch.setattr(runs, "read_due", edited_first)

    return arrange


def test_keywords_that_the_index_does_not_know_lose_nothing(edit_in_between: Any) -> None:
    agent, other = AgentFactory.create(), AgentFactory.create()
    publish("Oak mill", "Bakery")
    criteria = Criteria(keywords="oak")
    edit_in_between(lambda: change_agent(agent, now=datetime.now(UTC), criteria=criteria))

    assert fire_and_read() == [["Bakery", "Oak mill"]]
    agent.refresh_from_db()
    assert agent.next_run_at < datetime.now(UTC)
    assert (agent.last_run_at, agent.last_outcome) == (None, "new")
    assert not DigestSection.objects.filter(agent=agent).exists()
    assert fire_and_read() == [["Oak mill"]]
    assert fire_and_read() == []
    assert Delivery.objects.filter(user=other.user).count() == 1


def test_former_keywords_that_the_index_does_not_know_lose_nothing(edit_in_between: Any) -> None:
    agent = AgentFactory.create()
    publish("Oak mill", "Bakery")
    now = datetime.now(UTC)

    def edit_twice() -> None:
        change_agent(agent, now=now, criteria=Criteria(keywords="oak"))
        change_agent(agent, now=now + timedelta(seconds=1), criteria=Criteria())

    edit_in_between(edit_twice)
    assert fire_and_read() == []
    # They became news before the first edit, when the agent asked for everything, as it does now.
    assert fire_and_read() == [["Bakery", "Oak mill"]]
    assert fire_and_read() == []


def test_a_window_that_reaches_further_back_than_the_index_loses_nothing(
    edit_in_between: Any,
) -> None:
    agent = AgentFactory.create()
    publish("Newer", minutes_ago=10)
    publish("Older", minutes_ago=60 * 30)
    earlier = datetime.now(UTC) - timedelta(days=3)
    rows = ScheduledMailReport.objects.filter(pk=agent.pk)
    edit_in_between(lambda: rows.update(matched_until=earlier, watching_since=earlier))

    assert fire_and_read() == []
    assert fire_and_read() == [["Newer", "Older"]]
    assert fire_and_read() == []


def test_an_edit_that_the_index_can_answer_is_planned_at_once(edit_in_between: Any) -> None:
    agent = AgentFactory.create()
    AgentFactory.create(keywords="oak")
    publish("Oak mill", "Bakery")
    criteria = Criteria(keywords="oak")
    edit_in_between(lambda: change_agent(agent, now=datetime.now(UTC), criteria=criteria))
    assert fire_and_read() == [["Oak mill"], ["Oak mill"]]
