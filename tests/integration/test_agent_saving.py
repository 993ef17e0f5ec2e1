"""Saving an agent: the same search twice, two browsers at once, a form sent twice."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from agents.models import ScheduledMailReport
from marketplace.models import User
from tests.factories.agents import AgentFactory, agent_form

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC)


def test_the_same_search_again_is_explained_and_can_be_saved_anyway(
    client: Client, person: User
) -> None:
    first = AgentFactory.create(user=person, name="Mine", keywords="oak", frequency="weekly")
    again = agent_form(name="Again", keywords="oak", frequency="daily")
    html = client.post("/agents/new/", again).content.decode()
    assert (
        "You have a search agent for this very search already: “<bdi>Mine</bdi>”, weekly." in html
    )
    assert f'href="/agents/{first.pk}/edit/"' in html
    assert ScheduledMailReport.objects.filter(user=person).count() == 1

    for _ in range(2):  # sent twice
        assert client.post("/agents/new/", {**again, "anyway": "1"}).status_code == 302
    names = ScheduledMailReport.objects.filter(user=person).order_by("pk")
    assert list(names.values_list("name", "keywords")) == [("Mine", "oak"), ("Again", "oak")]


def test_others_may_have_the_same_search_and_deleted_agents_do_not_count(
    client: Client, person: User
) -> None:
    AgentFactory.create(keywords="oak")
    AgentFactory.create(user=person, keywords="oak", deleted_at=NOW)
    assert client.post("/agents/new/", agent_form(keywords="oak")).status_code == 302


def test_an_edit_to_the_search_of_another_agent_is_explained(client: Client, person: User) -> None:
    AgentFactory.create(user=person, name="Mine", keywords="oak")
    agent = AgentFactory.create(user=person, name="Other", keywords="beech")
    url = f"/agents/{agent.pk}/edit/"
    assert (
        "already: “<bdi>Mine</bdi>”"
        in client.post(url, agent_form(keywords="oak")).content.decode()
    )
    agent.refresh_from_db()
    assert agent.keywords == "beech"
    assert client.post(url, agent_form(keywords="oak", anyway="1")).status_code == 302
    assert client.post(url, agent_form(keywords="oak", name="Renamed")).status_code == 302


def test_a_double_click_is_no_second_search(client: Client, person: User) -> None:
    for _ in range(2):
        assert client.post("/agents/new/", agent_form(keywords="oak")).status_code == 302
    assert ScheduledMailReport.objects.filter(user=person).count() == 1


def test_two_browsers_editing_at_once_overwrite_nothing_unseen(
    client: Client, person: User
) -> None:
    agent = AgentFactory.create(user=person, name="Start", keywords="oak")
    url = f"/agents/{agent.pk}/edit/"
    seen = client.get(url).context["seen"]
    first = agent_form(name="First", keywords="beech", seen=seen)
    for _ in range(2):  # sent twice
        assert client.post(url, first).status_code == 302

    second = agent_form(name="Second", keywords="ash", seen=seen)
    response = client.post(url, second)
    html = response.content.decode()
    assert (
        "changed elsewhere in the meantime. It is now “<bdi>First</bdi>”, daily: “beech”." in html
    )
    assert ('value="Second"' in html, 'value="ash"' in html) == (True, True)
    agent.refresh_from_db()
    assert (agent.name, agent.keywords) == ("First", "beech")

    assert client.post(url, {**second, "seen": response.context["seen"]}).status_code == 302
    agent.refresh_from_db()
    assert (agent.name, agent.keywords) == ("Second", "ash")


def test_what_was_typed_stays_and_the_seen_version_with_it(client: Client, person: User) -> None:
    agent = AgentFactory.create(user=person)
    url = f"/agents/{agent.pk}/edit/"
    seen = client.get(url).context["seen"]
    response = client.post(url, agent_form(name="", seen=seen))
    assert response.context["seen"] == seen
