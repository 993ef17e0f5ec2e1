"""The preview of an agent: what matches, how much to expect, and warnings, at a bounded cost."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents import preview
from agents.models import MutedCompany, ScheduledMailReport
from agents.preview import preview_of
from listings.criteria import Criteria
from marketplace.models import User
from tests.factories import AgentFactory, CompanyFactory, industry
from tests.limits import set_limits

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC)
HTMX = {"HX-Request": "true"}


def company(title: str, days_ago: float, **fields: object) -> None:
    CompanyFactory.create(title=title, published_at=NOW - timedelta(days=days_ago), **fields)


def test_it_counts_what_matches_and_names_the_newest_three(person: User) -> None:
    for title, days in (("A", 4), ("B", 1), ("C", 2), ("D", 3), ("E", 200)):
        company(f"Oak {title}", days)
    company("Beech", 1)
    company("Oak withdrawn", 1, status="withdrawn")
    found = preview_of(person, Criteria(keywords="oak"), "weekly", NOW)
    assert (found.matching, found.is_more) == (5, False)
    assert [one.title for one in found.newest] == ["Oak B", "Oak C", "Oak D"]
    assert found.a_week == pytest.approx(4 / (90 / 7))
    assert (found.is_too_broad, found.is_too_narrow) == (False, False)


def test_a_parent_stands_for_its_children(person: User) -> None:
    company("Mill", 1, industry=industry("C16"))
    company("Inn", 1, industry=industry("I55"))
    found = preview_of(person, Criteria(industries=("C",), regions=("DE",)), "weekly", NOW)
    assert [one.title for one in found.newest] == ["Mill"]


def test_what_is_muted_is_left_out(person: User) -> None:
    company("Mill", 1)
    company("Inn", 2)
    MutedCompany.objects.create(user=person, company=preview.Company.objects.get(title="Mill"))
    found = preview_of(person, Criteria(), "weekly", NOW)
    assert (found.matching, [one.title for one in found.newest]) == (1, ["Inn"])


def test_nothing_in_90_days_is_too_narrow(person: User) -> None:
    company("Mill", 91)
    found = preview_of(person, Criteria(), "weekly", NOW)
    assert (found.matching, found.a_week, found.is_too_narrow) == (1, 0, True)


def test_more_than_a_mail_holds_is_too_broad_for_that_frequency(person: User) -> None:
    set_limits(max_companies=2)
    for number in range(26):
        company(f"Mill {number}", number * 3)
    weekly = preview_of(person, Criteria(), "weekly", NOW)
    assert weekly.a_mail == pytest.approx(26 * 7 / 90)
    assert weekly.is_too_broad
    assert not preview_of(person, Criteria(), "daily", NOW).is_too_broad


def test_counts_are_capped_and_a_sample_tells_the_average(
    person: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preview, "COUNTED_UP_TO", 8)
    monkeypatch.setattr(preview, "SAMPLE", 7)
    for number in range(10):
        company(f"Mill {number}", number + 1)
    found = preview_of(person, Criteria(), "weekly", NOW)
    assert (found.matching, found.is_more) == (8, True)
    assert found.a_week == pytest.approx(7)


def test_its_queries_do_not_depend_on_what_matches(person: User) -> None:
    set_limits(max_companies=2)
    industry("C16")
    criteria = Criteria(
        industries=("C16",), regions=("DE",), keywords="mill", price_max=Decimal(600_000)
    )
    counts = []
    for many in (1, 30):
        for number in range(many):
            company(f"Mill {number}", number)
        with CaptureQueriesContext(connection) as queries:
            preview_of(person, criteria, "weekly", NOW)
        counts.append(len(queries))
    assert counts == [6, 6]


def test_htmx_gets_the_part_of_the_page(client: Client, person: User) -> None:
    company("Oak mill", 1)
    company("Beech mill", 1)
    data = {"name": "", "frequency": "daily", "keywords": "oak"}
    response = client.post("/agents/preview/", data, headers=HTMX)
    html = response.content.decode()
    assert "<strong>1</strong> company matches now." in html
    assert ("Oak mill" in html, "Beech mill" in html, "<html" in html) == (True, False, False)


def test_without_javascript_the_page_comes_back_with_what_was_typed(
    client: Client, person: User
) -> None:
    company("Oak mill", 1)
    agent = AgentFactory.create(user=person, name="Stored")
    data = {"name": "", "frequency": "daily", "keywords": "oak", "seen": "x"}
    for url, action in (
        ("/agents/preview/", "/agents/new/"),
        (f"/agents/{agent.pk}/preview/", f"/agents/{agent.pk}/edit/"),
    ):
        response = client.post(url, data)
        html = response.content.decode()
        assert f'action="{action}"' in html
        assert ('value="oak"' in html, "Oak mill" in html) == (True, True)
        assert dict(response.context["form"].errors) == {}
    assert ScheduledMailReport.objects.get(user=person).name == "Stored"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"keywords": "!!!"}, "No company can match this."),
        ({"price_min": "5", "price_max": "4"}, "The highest price must not be below the lowest."),
        ({"industries": "\x00"}, "errorlist"),
        ({"frequency": "yearly", "price_min": "1"}, "No company matches now."),
    ],
)
def test_wrong_values_are_explained(
    client: Client, person: User, wrong: dict[str, str], told: str
) -> None:
    response = client.post("/agents/preview/", wrong, headers=HTMX)
    assert response.status_code == 200
    assert told in response.content.decode()


def test_a_link_alone_previews_nothing(client: Client, person: User) -> None:
    assert client.get("/agents/preview/").status_code == 405
    other = AgentFactory.create()
    assert client.post(f"/agents/{other.pk}/preview/").status_code == 404
