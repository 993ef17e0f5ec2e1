"""A page that is still open after its session ended, or whose button is pressed twice."""

import pytest
from django.test import Client

from tests.factories import AgentFactory, UserFactory

pytestmark = pytest.mark.django_db
PART = {"HX-Request": "true", "HX-Current-URL": "http://testserver/agents/?a=1"}


def test_the_whole_page_goes_to_sign_in_and_comes_back() -> None:
    response = Client().post("/agents/1/switch/", {"on": "1"}, headers=PART)
    assert response.status_code == 200
    assert response["HX-Redirect"] == "/accounts/login/?next=%2Fagents%2F%3Fa%3D1"
    assert response.content == b""


def test_a_page_of_another_site_is_not_come_back_to() -> None:
    elsewhere = {**PART, "HX-Current-URL": "https://elsewhere.example/agents/"}
    response = Client().post("/agents/preview/", headers=elsewhere)
    assert response["HX-Redirect"] == "/accounts/login/?next=%2Fagents%2F"


def test_whole_pages_are_redirected_as_ever() -> None:
    response = Client().post("/agents/1/switch/", {"on": "1"})
    assert response["Location"] == "/accounts/login/?next=/agents/1/switch/"


def test_an_agent_is_deleted_by_two_clicks_as_by_one() -> None:
    person = UserFactory.create()
    agent = AgentFactory.create(user=person)
    browser = Client()
    browser.force_login(person)
    first = browser.post(f"/agents/{agent.pk}/delete/")
    agent.refresh_from_db()
    deleted_at = agent.deleted_at
    again = browser.post(f"/agents/{agent.pk}/delete/")
    agent.refresh_from_db()
    assert [first["Location"], again["Location"]] == ["/agents/", "/agents/"]
    assert agent.deleted_at == deleted_at
