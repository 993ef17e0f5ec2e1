"""Deleting an agent can be taken back within some minutes, exactly."""

from datetime import UTC, datetime, timedelta

import pytest
from django.forms.models import model_to_dict
from django.test import Client

from agents.editing import UnableToAddAgent, delete_agent
from agents.restoring import UNDO_FOR, UnableToRestore, restore_agent
from marketplace.models import User
from tests.factories import AgentFactory, UserFactory
from tests.firing import fire_and_read, publish, send
from tests.limits import set_limits

pytestmark = pytest.mark.django_db


def now() -> datetime:
    return datetime.now(UTC)


@pytest.mark.parametrize("is_active", [True, False])
def test_undo_brings_back_every_value(client: Client, person: User, is_active: bool) -> None:
    agent = AgentFactory.create(user=person, name="Sawmills", keywords="oak", is_active=is_active)
    before = model_to_dict(agent)
    client.post(f"/agents/{agent.pk}/delete/")
    html = client.get("/agents/").content.decode()
    assert "“<bdi>Sawmills</bdi>” is deleted." in html
    assert f'action="/agents/{agent.pk}/restore/"' in html

    for _ in range(2):  # sent twice
        assert client.post(f"/agents/{agent.pk}/restore/").status_code == 302
    agent.refresh_from_db()
    assert model_to_dict(agent) == before
    assert "“Sawmills” is back as it was." in client.get("/agents/").content.decode()


def test_after_some_minutes_it_is_too_late(client: Client, person: User) -> None:
    agent = AgentFactory.create(user=person)
    delete_agent(agent, now() - UNDO_FOR)
    assert client.get("/agents/").context["deleted"] == []
    client.post(f"/agents/{agent.pk}/restore/")
    assert "It was deleted too long ago" in client.get("/agents/").content.decode()
    agent.refresh_from_db()
    assert agent.deleted_at is not None
    with pytest.raises(UnableToRestore):
        restore_agent(agent, now())


def test_undo_keeps_the_limit(person: User) -> None:
    set_limits(max_agents_per_user=1)
    agent = AgentFactory.create(user=person)
    delete_agent(agent, now())
    AgentFactory.create(user=person)
    with pytest.raises(UnableToAddAgent):
        restore_agent(agent, now())


def test_a_deleted_agent_sends_nothing_and_undo_sends_what_came_meanwhile() -> None:
    agent = AgentFactory.create()
    delete_agent(agent, now())
    publish("Mill", minutes_ago=5)
    assert fire_and_read() == []
    restore_agent(agent, now())
    assert fire_and_read() == [["Mill"]]


def test_a_mail_that_left_the_deleted_agent_out_loses_nothing() -> None:
    user = UserFactory.create()
    oak = AgentFactory.create(user=user, keywords="oak")
    AgentFactory.create(user=user, keywords="beech")
    publish("Oak mill", "Beech mill")
    assert fire_and_read() == [["Beech mill", "Oak mill"]]
    delete_agent(oak, now() - timedelta(minutes=1))
    assert send() == 1
    restore_agent(oak, now())
    assert [fire_and_read(), fire_and_read()] == [[["Oak mill"]], []]


def test_the_deleted_agents_of_others_do_not_exist(client: Client, person: User) -> None:
    other = delete_agent(AgentFactory.create(), now())
    assert client.post(f"/agents/{other.pk}/restore/").status_code == 404
    assert client.get(f"/agents/{other.pk}/restore/").status_code == 405
    other.refresh_from_db()
    assert other.deleted_at is not None
