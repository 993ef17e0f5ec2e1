"""The history of mails, and companies that a person hides from it."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.history import PAGE_SIZE
from agents.mail_states import state_of
from agents.models import DigestSection, MutedCompany, ReportedCompany, ScheduledMailReport
from listings.models import Company
from marketplace.models import User
from notifications.models import Delivery, DeliveryEvent, EventKind, Reason, State
from tests.factories import AgentFactory, CompanyFactory
from tests.firing import fire_and_read, publish, send
from tests.limits import set_limits

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC)


def mail(agent: ScheduledMailReport, number: int, *titles: str, **fields: object) -> Delivery:
    """A digest of one agent that showed companies of these titles."""
    delivery = Delivery.objects.create(
        idempotency_key=f"digest:{number}:{agent.user_id}",
        kind="digest",
        user=agent.user,
        address=agent.user.email,
        **{"state": State.SENT, "finished_at": NOW, **fields},
    )
    DigestSection.objects.create(
        delivery=delivery,
        agent=agent,
        criteria=agent.criteria.to_json(),
        frequency="daily",
        window_from=NOW - timedelta(days=3),
    )
    for title in titles:
        ReportedCompany.objects.create(
            agent=agent,
            user=agent.user,
            company=CompanyFactory.create(title=title),
            delivery=delivery,
            reported_at=NOW,
        )
    return delivery


def told(client: Client, url: str) -> list[tuple[str, list[list[str]]]]:
    """Each mail's state and its parts' titles."""
    page = client.get(url).context["page"]
    return [
        (mail.state.words, [[one.title for one in part.companies] for part in mail.parts])
        for mail in page.mails
    ]


def test_mails_with_their_companies_newest_first(client: Client, person: User) -> None:
    oak, beech = AgentFactory.create_batch(2, user=person)
    mail(oak, 1, "Oak mill")
    mail(beech, 2, "Beech mill", "Beech wood")
    mail(AgentFactory.create(), 3, "Not mine")
    assert told(client, "/agents/history/") == [
        ("sent", [["Beech wood", "Beech mill"]]),
        ("sent", [["Oak mill"]]),
    ]
    assert told(client, f"/agents/{oak.pk}/history/") == [("sent", [["Oak mill"]])]


def test_a_mail_of_two_agents_stands_in_both_histories(client: Client, person: User) -> None:
    oak = AgentFactory.create(user=person, keywords="oak")
    everything = AgentFactory.create(user=person)
    publish("Oak mill", "Inn")
    fire_and_read()
    send()
    assert told(client, "/agents/history/") == [("sent", [["Oak mill"], ["Inn"]])]
    assert told(client, f"/agents/{oak.pk}/history/") == [("sent", [["Oak mill"]])]
    assert told(client, f"/agents/{everything.pk}/history/") == [("sent", [["Inn", "Oak mill"]])]


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ([], "sent"),
        ([EventKind.DELIVERED], "delivered"),
        ([EventKind.OPENED, EventKind.DELIVERED], "opened"),
        ([EventKind.DELIVERED, EventKind.COMPLAINED], "reported as spam"),
        ([EventKind.BOUNCED], "sent, but it came back"),
    ],
)
def test_what_the_provider_reported(
    client: Client, person: User, events: list[str], words: str
) -> None:
    delivery = mail(AgentFactory.create(user=person), 1)
    for number, kind in enumerate(events):
        DeliveryEvent.objects.create(
            provider="sendgrid",
            provider_event_id=str(number),
            kind=kind,
            delivery=delivery,
            happened_at=NOW,
        )
    assert [state for state, _ in told(client, "/agents/history/")] == [words]


@pytest.mark.parametrize("reason", Reason.values)
@pytest.mark.parametrize("state", [State.CANCELLED, State.DEAD])
def test_every_reason_has_its_words(state: State, reason: str) -> None:
    words = state_of(Delivery(state=state, reason=reason), ()).words
    assert words == f"not sent, because {Reason(reason).label}"


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (State.PENDING, "waiting to be sent"),
        (State.CLAIMED, "waiting to be sent"),
        (State.DISPATCHING, "waiting to be sent"),
        (State.UNCERTAIN, "handed over; we wait for word that it arrived"),
        (State.CANCELLED, "not sent"),
    ],
)
def test_every_state_has_its_words(state: State, words: str) -> None:
    assert state_of(Delivery(state=state), ()).words == words


def test_pages_follow_each_other_without_gap_or_repeat(client: Client, person: User) -> None:
    agent = AgentFactory.create(user=person)
    ids = [mail(agent, number).pk for number in range(PAGE_SIZE + 3)]
    first = client.get("/agents/history/").context["page"]
    second = client.get(f"/agents/history/?before={first.older}").context["page"]
    shown = [one.delivery.pk for page in (first, second) for one in page.mails]
    assert shown == ids[::-1]
    assert (len(first.mails), second.older) == (PAGE_SIZE, "")
    for wrong in ("x", "-1", "9" * 40, "\x00", "१"):
        page = client.get("/agents/history/", {"before": wrong}).context["page"]
        assert len(page.mails) == PAGE_SIZE


def test_more_mails_and_companies_cost_no_more_queries(client: Client, person: User) -> None:
    counts = []
    for round_ in (1, 2):
        for number in range(4):
            agent = AgentFactory.create(user=person)
            mail(agent, round_ * 10 + number, *[f"Mill {n}" for n in range(round_ * 3)])
        for url in ("/agents/history/", f"/agents/{agent.pk}/history/"):
            with CaptureQueriesContext(connection) as queries:
                client.get(url)
            counts.append(len(queries))
    assert counts[:2] == counts[2:]


def test_hiding_from_the_history_and_back(client: Client, person: User) -> None:
    mail(AgentFactory.create(user=person), 1, "Mill")
    company = Company.objects.get()
    data = {"next": "/agents/history/"}
    for _ in range(2):  # sent twice
        response = client.post(f"/companies/{company.pk}/hide/", data)
        assert response["Location"] == "/agents/history/"
    assert list(MutedCompany.objects.values_list("user", "company")) == [(person.pk, company.pk)]
    assert "Show again" in client.get("/agents/history/").content.decode()
    assert "Mill" in client.get("/agents/hidden/").content.decode()
    for _ in range(2):
        assert client.post(f"/companies/{company.pk}/show-again/").status_code == 302
    assert not MutedCompany.objects.exists()


def test_a_link_asks_before_it_hides(client: Client, person: User) -> None:
    company = CompanyFactory.create(title="Mill")
    assert "Hide this company?" in client.get(f"/companies/{company.pk}/hide/").content.decode()
    assert client.get(f"/companies/{company.pk}/show-again/").status_code == 405
    assert not MutedCompany.objects.exists()


def test_the_page_of_a_company_offers_it_and_says_when_it_is_hidden(
    client: Client, person: User
) -> None:
    company = CompanyFactory.create()
    url = f"/companies/{company.pk}/"
    assert f'action="{url}hide/"' in client.get(url).content.decode()
    client.post(f"{url}hide/")
    html = client.get(url).content.decode()
    assert ("You have hidden this company" in html, f'action="{url}show-again/"' in html) == (
        True,
        True,
    )
    client.logout()
    assert "hide/" not in client.get(url).content.decode()


def test_a_draft_cannot_be_hidden_and_no_other_site_is_returned_to(
    client: Client, person: User
) -> None:
    draft = CompanyFactory.create(status="draft", published_at=None)
    assert client.post(f"/companies/{draft.pk}/hide/").status_code == 404
    company = CompanyFactory.create()
    for url in ("https://evil.example/", "//evil.example", "/a\nb", "\x00", "javascript:alert(1)"):
        response = client.post(f"/companies/{company.pk}/hide/", {"next": url})
        assert response.status_code == 302
        assert "evil" not in response["Location"]
        assert not response["Location"].startswith("java")


def test_more_hidden_companies_cost_no_more_queries(client: Client, person: User) -> None:
    counts = []
    for many in (1, 20):
        for company in CompanyFactory.create_batch(many):
            MutedCompany.objects.create(user=person, company=company)
        with CaptureQueriesContext(connection) as queries:
            client.get("/agents/hidden/")
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_view_all_from_a_mail_leads_to_exactly_what_it_counted(
    client: Client, person: User
) -> None:
    set_limits(max_companies=2)
    AgentFactory.create(user=person)
    publish("One", "Two", "Three", "Four", "Five")
    assert fire_and_read() == [["Five", "Four"]]
    section = DigestSection.objects.get()
    url = f"/agents/{section.agent_id}/matches/{section.pk}/"
    titles = [one.title for one in client.get(url).context["page"].companies]
    assert (section.waiting, titles) == (3, ["Three", "Two", "One"])
    assert fire_and_read() == [["Three", "Two"]]
    assert [one.title for one in client.get(url).context["page"].companies] == titles
    assert url in client.get("/agents/history/").content.decode()


def test_the_histories_of_others_do_not_exist(client: Client, person: User) -> None:
    other = AgentFactory.create()
    assert client.get(f"/agents/{other.pk}/history/").status_code == 404
