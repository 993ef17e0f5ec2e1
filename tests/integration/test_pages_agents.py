"""A person's search agents on the web: list, make, change, switch, delete, see what waits."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.models import DigestSection, ScheduledMailReport
from listings.criteria import Criteria
from listings.wording import _names
from marketplace.models import Suspension, User
from notifications.models import Delivery, DispatchLimits, State
from tests.factories import CompanyFactory, industry, region
from tests.factories.agents import AgentFactory, agent_form

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC)


@pytest.mark.parametrize(
    "url",
    ["/agents/", "/agents/new/", "/agents/1/edit/", "/agents/1/matches/1/", "/account/mail-times/"],
)
def test_guests_are_asked_to_sign_in(client: Client, url: str) -> None:
    response = client.get(url)
    assert response.status_code == 302
    assert response["Location"] == f"/accounts/login/?next={url}"


def test_cards_say_criteria_frequency_and_mails(client: Client, person: User) -> None:
    industry("C16")
    agent = AgentFactory.create(
        user=person,
        name="Sawmills",
        keywords="oak",
        price_max=Decimal(500_000),
        frequency="weekly",
        next_run_at=datetime(2026, 12, 7, 6, tzinfo=UTC),
    )
    sent = Delivery.objects.create(
        idempotency_key="digest:1:1",
        kind="digest",
        user=person,
        address=person.email,
        state=State.SENT,
        finished_at=datetime(2026, 11, 23, 6, 2, tzinfo=UTC),
    )
    DigestSection.objects.create(
        delivery=sent, agent=agent, criteria={}, frequency="weekly", window_from=NOW
    )
    html = client.get("/agents/").content.decode()

    for text in ("Sawmills", "up to €500,000", "oak", "weekly"):
        assert text in html
    assert "Dec. 7, 2026, 7 a.m." in html  # Berlin is an hour ahead of UTC in winter
    assert "Nov. 23, 2026, 7:02 a.m." in html


def test_more_agents_cost_no_more_queries(client: Client, person: User) -> None:
    DispatchLimits.current()
    counts = []
    for codes in (["C16"], ["C10", "C11", "C12", "F43", "I55"]):
        for code in codes:
            industry(code)
            AgentFactory.create(user=person, industries=[code], regions=[region().pk])
        _names.clear()  # as in a process that has just started
        with CaptureQueriesContext(connection) as queries:
            client.get("/agents/")
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_the_list_says_why_no_mail_comes(client: Client, person: User) -> None:
    assert "you get no mail" not in client.get("/agents/").content.decode()
    Suspension.objects.create(user=person, reason="abuse", starts_at=NOW - timedelta(hours=1))
    html = client.get("/agents/").content.decode()
    assert "At the moment you get no mail: the account is suspended." in html


def test_a_new_agent_holds_what_the_form_said(client: Client, person: User) -> None:
    industry("C16")
    region("DE-BY")
    response = client.post(
        "/agents/new/",
        agent_form(
            industries=["C16"],
            regions=["DE-BY", "DE"],
            price_min="100.000",
            price_max="1 Mio",
            keywords=" oak  beams ",
            priced_only="on",
        ),
    )
    assert response.status_code == 302
    agent = ScheduledMailReport.objects.get(user=person)
    assert (agent.name, agent.frequency, agent.is_active) == ("Sawmills", "daily", True)
    assert agent.criteria == Criteria(
        industries=("C16",),
        regions=("DE", "DE-BY"),
        price_min=Decimal(100_000),
        price_max=Decimal(1_000_000),
        keywords="oak beams",
        include_on_request=False,
    )


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "a\x00b"}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"frequency": "yearly"}, "frequency"),
        ({"industries": ["NOPE"]}, "industries"),
        ({"price_min": "5", "price_max": "4"}, "price_max"),
        ({"keywords": "\x00"}, "keywords"),
    ],
)
def test_wrong_values_are_errors_at_their_fields_and_nothing_is_stored(
    client: Client, person: User, wrong: dict[str, object], field: str
) -> None:
    response = client.post("/agents/new/", agent_form(**wrong))
    assert response.status_code == 200
    assert list(response.context["form"].errors) == [field]
    assert not ScheduledMailReport.objects.filter(user=person).exists()


def test_a_search_in_the_url_fills_the_form(client: Client, person: User) -> None:
    industry("C16")
    html = client.get("/agents/new/?industries=C16&price_max=500000&keywords=oak&priced_only=on")
    initial = html.context["form"].initial
    assert initial["industries"] == ["C16"]
    assert initial["price_max"] == Decimal(500_000)
    assert 'value="oak"' in html.content.decode()


def test_the_limit_is_explained_and_kept(client: Client, person: User) -> None:
    DispatchLimits.current()
    DispatchLimits.objects.update(max_agents_per_user=2)
    AgentFactory.create_batch(2, user=person)

    response = client.post("/agents/new/", agent_form())
    assert response.status_code == 200
    assert "You have 2 search agents, which is the most." in response.content.decode()
    assert ScheduledMailReport.objects.filter(user=person).count() == 2
    assert "You have all 2 search agents" in client.get("/agents/").content.decode()


def test_editing_changes_name_criteria_and_frequency(client: Client, person: User) -> None:
    agent = AgentFactory.create(user=person, keywords="oak", price_min=Decimal(100_000))
    url = f"/agents/{agent.pk}/edit/"
    assert 'value="100,000"' in client.get(url).content.decode()

    response = client.post(url, agent_form(frequency="monthly", keywords="beech"))
    assert response.status_code == 302
    agent.refresh_from_db()
    assert (agent.name, agent.frequency) == ("Sawmills", "monthly")
    assert agent.criteria == Criteria(keywords="beech")


def test_switching_off_and_on_survives_a_double_submit(client: Client, person: User) -> None:
    agent = AgentFactory.create(user=person)
    for on, expected in (("0", False), ("0", False), ("1", True), ("1", True)):
        assert client.post(f"/agents/{agent.pk}/switch/", {"on": on}).status_code == 302
        agent.refresh_from_db()
        assert agent.is_active is expected


def test_a_deleted_agent_leaves_the_list_and_its_row_stays(client: Client, person: User) -> None:
    agent = AgentFactory.create(user=person, name="Farewell")
    assert client.post(f"/agents/{agent.pk}/delete/").status_code == 302
    agent.refresh_from_db()
    assert agent.deleted_at is not None
    assert client.get("/agents/").context["cards"] == []
    assert client.get(f"/agents/{agent.pk}/edit/").status_code == 404
    # A second click finds it gone, as wanted.
    assert client.post(f"/agents/{agent.pk}/delete/").status_code == 302


@pytest.mark.parametrize("action", ["switch", "delete"])
def test_a_link_alone_changes_nothing(client: Client, person: User, action: str) -> None:
    agent = AgentFactory.create(user=person)
    assert client.get(f"/agents/{agent.pk}/{action}/").status_code == 405


def test_the_agents_of_others_do_not_exist(client: Client, person: User) -> None:
    other = AgentFactory.create()
    assert client.get(f"/agents/{other.pk}/edit/").status_code == 404
    for action in ("edit", "switch", "delete"):
        assert client.post(f"/agents/{other.pk}/{action}/", agent_form()).status_code == 404
    other.refresh_from_db()
    assert (other.is_active, other.deleted_at) == (True, None)


def section_with_waiting(agent: ScheduledMailReport) -> DigestSection:
    delivery = Delivery.objects.create(
        idempotency_key=f"digest:1:{agent.user_id}",
        kind="digest",
        user=agent.user,
        address=agent.user.email,
    )
    return DigestSection.objects.create(
        delivery=delivery,
        agent=agent,
        criteria=Criteria(keywords="oak").to_json(),
        frequency="daily",
        window_from=NOW - timedelta(days=3),
        waiting=2,
        waiting_from=NOW - timedelta(days=2),
        waiting_until=NOW - timedelta(hours=12),
    )


def test_view_all_shows_exactly_the_companies_that_waited(client: Client, person: User) -> None:
    section = section_with_waiting(AgentFactory.create(user=person))
    for title, days in (("oak one", 1), ("oak two", 1.5), ("beech", 1), ("oak old", 2.5)):
        CompanyFactory.create(title=title, published_at=NOW - timedelta(days=days))
    CompanyFactory.create(title="oak new", published_at=NOW)

    response = client.get(f"/agents/{section.agent_id}/matches/{section.pk}/")
    assert [c.title for c in response.context["page"].companies] == ["oak one", "oak two"]
    assert "“oak”" in response.content.decode()


def test_what_waits_for_others_is_not_found(client: Client, person: User) -> None:
    mine = AgentFactory.create(user=person)
    section = section_with_waiting(AgentFactory.create())
    assert client.get(f"/agents/{section.agent_id}/matches/{section.pk}/").status_code == 404
    assert client.get(f"/agents/{mine.pk}/matches/{section.pk}/").status_code == 404
    huge = "9" * 30
    assert client.get(f"/agents/{huge}/matches/{huge}/").status_code == 404
