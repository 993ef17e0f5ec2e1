"""What the cards of a person's agents count, and their switch."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from agents import cards, waiting
from agents.editing import change_agent
from agents.models import MutedCompany
from listings.criteria import Criteria
from listings.models import Company
from marketplace.models import User
from tests.factories import CompanyFactory
from tests.factories.agents import AgentFactory
from tests.firing import fire_and_read, publish
from tests.limits import set_limits

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC)


def counts(oak: int, everything: int) -> list[tuple[str, int]]:
    return [("Oak", oak), ("All", everything), ("Off", 0)]


def test_cards_count_what_waits_for_the_next_mail(client: Client, person: User) -> None:
    set_limits(max_companies=1)
    oak = AgentFactory.create(user=person, name="Oak", keywords="oak")
    AgentFactory.create(user=person, name="All")
    AgentFactory.create(user=person, name="Off", is_active=False)
    publish("Oak one", "Oak two", "Beech", "Hidden oak")
    CompanyFactory.create(title="Oak before", published_at=NOW - timedelta(days=2))
    hidden = Company.objects.get(title="Hidden oak")
    MutedCompany.objects.create(user=person, company=hidden)
    shown = client.get("/agents/").context["cards"]
    assert [(card.agent.name, card.waiting) for card in shown] == counts(2, 3)

    assert fire_and_read() == [["Beech"]]
    change_agent(oak, now=datetime.now(UTC), criteria=Criteria(keywords="two"))
    shown = client.get("/agents/").context["cards"]
    assert [(card.agent.name, card.waiting) for card in shown] == counts(1, 2)


def test_more_than_the_cards_count_is_said_so(
    client: Client, person: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (waiting, cards):
        monkeypatch.setattr(module, "COUNTED_UP_TO", 2)
    AgentFactory.create(user=person)
    publish("One", "Two", "Three", "Four")
    assert "more than 2 companies" in client.get("/agents/").content.decode()


def test_htmx_switches_and_gets_the_card(client: Client, person: User) -> None:
    agent = AgentFactory.create(user=person, name="Sawmills")
    url = f"/agents/{agent.pk}/switch/"
    html = client.post(url, {"on": "0"}, headers={"HX-Request": "true"}).content.decode()
    assert html.startswith("<article")
    assert "“Sawmills” is switched off: it sends no mail." in html
    agent.refresh_from_db()
    assert agent.is_active is False
