"""Settings: language, time zone, and the moments at which mail is due."""

from datetime import UTC, datetime

import pytest
import time_machine
from django.test import Client

from marketplace.models import User
from tests.factories import UserFactory
from tests.factories.agents import AgentFactory

pytestmark = pytest.mark.django_db
URL = "/account/mail-times/"


@pytest.fixture
def person(client: Client) -> User:
    user = UserFactory.create(language="en")
    client.force_login(user)
    return user


def settings_form(**values: object) -> dict[str, object]:
    return {
        "name": "Mia",
        "language": "en",
        "time_zone": "Europe/Berlin",
        "mail_hour": "7",
        "mail_weekday": "0",
        "mail_day_of_month": "1",
        **values,
    }


def test_saving_stores_and_moves_the_next_runs(client: Client, person: User) -> None:
    with time_machine.travel(datetime(2026, 12, 1, 12, tzinfo=UTC), tick=False):
        agent = AgentFactory.create(user=person, frequency="daily")
        response = client.post(URL, settings_form(mail_hour="18", time_zone="America/New_York"))
    assert response.status_code == 302
    person.refresh_from_db()
    assert (person.name, person.mail_hour, person.time_zone) == ("Mia", 18, "America/New_York")
    agent.refresh_from_db()
    assert agent.next_run_at == datetime(2026, 12, 1, 23, tzinfo=UTC)


def test_a_changed_name_alone_leaves_the_schedule(client: Client, person: User) -> None:
    due = datetime(2026, 12, 1, 3, 21, tzinfo=UTC)
    agent = AgentFactory.create(user=person, next_run_at=due)
    client.post(URL, settings_form())
    agent.refresh_from_db()
    assert agent.next_run_at == due


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("time_zone", "Mars/Olympus"),
        ("time_zone", "../../etc/passwd"),
        ("mail_hour", "24"),
        ("mail_hour", "x"),
        ("mail_weekday", "7"),
        ("mail_day_of_month", "0"),
        ("mail_day_of_month", "99999999999999999999"),
        ("language", "xx"),
        ("name", "a\x00b"),
        ("name", "x" * 151),
    ],
)
def test_wrong_values_are_errors_at_their_fields(
    client: Client, person: User, field: str, value: str
) -> None:
    response = client.post(URL, settings_form(**{field: value}))
    assert response.status_code == 200
    assert list(response.context["form"].errors) == [field]
    stored = User.objects.get(pk=person.pk)
    assert (stored.mail_hour, stored.language) == (7, "en")


def test_a_chosen_language_shows_at_once(client: Client, person: User) -> None:
    html = client.post(URL, settings_form(language="de"), follow=True).content.decode()
    assert '<html lang="de">' in html
