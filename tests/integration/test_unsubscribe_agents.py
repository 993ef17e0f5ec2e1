"""Unsubscribing from search agents: of one mail or all of a person, planned mails included."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.editing import delete_agent, resume_agent
from agents.models import ReportedCompany, ScheduledMailReport
from marketplace.models import User
from notifications.models import Delivery, Reason, State
from notifications.unsubscribe import scopes_of, unsubscribe_from, unsubscribe_url
from tests.factories import AgentFactory, UserFactory
from tests.firing import fire, make_due, publish, send, sent_mails

pytestmark = pytest.mark.django_db
FAR = datetime(2999, 1, 1, tzinfo=UTC)


@pytest.fixture
def person() -> User:
    return UserFactory.create(email="mia@example.com")


@pytest.fixture
def delivery(person: User) -> Delivery:
    """A sent digest in which "Hotels" spoke; "Boats" did not, and Bob has an agent of his own."""
    AgentFactory.create(user=person, name="Hotels")
    AgentFactory.create(user=person, name="Boats", frequency="monthly", next_run_at=FAR)
    AgentFactory.create(user__email="bob@example.com", name="Bobs", frequency="monthly")
    publish("A")
    fire()
    send()
    return Delivery.objects.get(user=person)


def link(delivery: Delivery, scope: str = "") -> str:
    path = unsubscribe_url(delivery).removeprefix("http://testserver")
    return path + (f"{scope}/" if scope else "")


def switched_on() -> set[str]:
    agents = ScheduledMailReport.objects.filter(is_active=True, is_default=False)
    return set(agents.values_list("name", flat=True))


def test_one_click_switches_off_the_agents_in_this_mail(delivery: Delivery) -> None:
    for _ in range(2):
        page = Client().post(link(delivery), {"List-Unsubscribe": "One-Click"}).content.decode()
        assert "Search agent “Hotels”" in page
        assert "Unsubscribe from: All your search agents" in page
        assert switched_on() == {"Boats", "Bobs"}


def test_the_second_button_switches_off_all_of_the_person_and_nobody_elses(
    delivery: Delivery,
) -> None:
    assert "Search agent “Hotels”" in Client().get(link(delivery)).content.decode()
    assert switched_on() == {"Hotels", "Boats", "Bobs"}
    page = Client().post(link(delivery, "all")).content.decode()
    assert "All your search agents" in page
    assert "Unsubscribe from" not in page
    assert switched_on() == {"Bobs"}


def test_a_deleted_agent_has_a_friendly_answer_and_stays_deleted(delivery: Delivery) -> None:
    agent = ScheduledMailReport.objects.get(name="Hotels")
    delete_agent(agent, datetime.now(UTC))
    for response in (Client().get(link(delivery)), Client().post(link(delivery))):
        assert response.status_code == 200
        assert "You are unsubscribed" in response.content.decode()
    agent.refresh_from_db()
    assert agent.deleted_at is not None
    assert switched_on() == {"Boats", "Bobs"}


def test_switching_on_again_holds_until_somebody_clicks_again(delivery: Delivery) -> None:
    Client().post(link(delivery))
    resume_agent(ScheduledMailReport.objects.get(name="Hotels"), datetime.now(UTC))
    assert switched_on() == {"Hotels", "Boats", "Bobs"}


def test_a_pruned_mail_names_no_agents_so_one_click_means_all_of_them(
    delivery: Delivery,
) -> None:
    url = link(delivery)
    delivery.delete()
    assert "All your search agents" in Client().get(url).content.decode()
    page = Client().post(url).content.decode()
    assert "All your search agents" in page
    assert switched_on() == {"Bobs"}


def test_the_account_is_gone(delivery: Delivery, person: User) -> None:
    url = link(delivery)
    ReportedCompany.objects.filter(user=person).delete()
    person.delete()
    for scope in ("", "all/"):
        page = Client().post(url + scope).content.decode()
        assert "There is nothing left to switch off." in page
    assert switched_on() == {"Bobs"}


def test_many_agents_are_named_in_short(person: User) -> None:
    for number in range(5):
        AgentFactory.create(user=person, name=f"S{number}", keywords="steel" if number else "")
    publish("Steel")
    fire()
    label = scopes_of(Delivery.objects.get())[0].label
    assert label in (
        "Search agent “S0”",
        "Search agents “S0”, “S1”, “S2” and 2 more",
    )


def test_what_was_planned_already_is_not_sent(delivery: Delivery) -> None:
    publish("B", minutes_ago=5)
    make_due()
    ScheduledMailReport.objects.filter(name="Boats").update(is_active=False)
    fire()
    planned = Delivery.objects.get(state=State.PENDING, user=delivery.user)
    Client().post(link(delivery))
    send()
    planned.refresh_from_db()
    assert (planned.state, planned.reason) == (State.CANCELLED, Reason.SWITCHED_OFF)
    assert len([mail for mail in sent_mails() if "mia@" in mail["To"]]) == 1


def test_two_mails_of_one_agent_switch_off_no_other(delivery: Delivery) -> None:
    publish("D", minutes_ago=5)
    ScheduledMailReport.objects.filter(name="Hotels").update(next_run_at=datetime.now(UTC))
    fire()
    both = list(Delivery.objects.filter(user=delivery.user, kind="digest"))
    assert len(both) == 2
    unsubscribe_from(both, "these")
    assert switched_on() == {"Boats", "Bobs"}


def test_a_scope_that_is_none_of_ours_changes_nothing(delivery: Delivery) -> None:
    unsubscribe_from([delivery], "promotions")
    assert switched_on() == {"Hotels", "Boats", "Bobs"}


def test_many_people_cost_the_statements_of_one(delivery: Delivery) -> None:
    for _ in range(10):
        AgentFactory.create()
    publish("C", minutes_ago=5)
    make_due()
    fire()
    planned = list(Delivery.objects.filter(kind="digest", state=State.PENDING))
    assert len(planned) >= 11
    counts = []
    for deliveries in ([delivery], planned):
        with CaptureQueriesContext(connection) as queries:
            unsubscribe_from(deliveries, "these")
        counts.append(len(queries))
    assert counts[0] == counts[1]
    assert switched_on() == {"Boats", "Bobs"}
