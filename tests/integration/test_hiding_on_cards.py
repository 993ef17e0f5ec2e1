"""A card of the search hides its company from whoever is signed in, and shows it again."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.models import MutedCompany
from tests.factories import CompanyFactory, UserFactory

pytestmark = pytest.mark.django_db
HIDE, SHOW = "Don’t show me this company again", "Show again"


def test_a_guest_is_offered_no_button(client: Client) -> None:
    CompanyFactory.create(title="Oak mill")
    page = client.get("/companies/").content.decode()
    assert "Oak mill" in page
    assert HIDE not in page


def test_hiding_from_a_card_comes_back_to_the_same_search(client: Client) -> None:
    company = CompanyFactory.create(title="Oak mill")
    client.force_login(user := UserFactory.create())
    search = "/companies/?keywords=oak"
    page = client.get(search).content.decode()
    assert (page.count(HIDE), page.count(SHOW)) == (1, 0)
    assert f'action="/companies/{company.pk}/hide/"' in page
    answer = client.post(f"/companies/{company.pk}/hide/", {"next": search}, follow=True)
    assert answer.redirect_chain == [(search, 302)]
    page = answer.content.decode()
    assert (page.count(HIDE), page.count(SHOW)) == (0, 1)
    assert list(MutedCompany.objects.values_list("user", "company")) == [(user.pk, company.pk)]


def test_ones_own_company_has_no_button(client: Client) -> None:
    user = UserFactory.create()
    CompanyFactory.create(seller=user)
    client.force_login(user)
    assert HIDE not in client.get("/companies/").content.decode()


def test_more_cards_ask_the_database_no_more(client: Client) -> None:
    client.force_login(UserFactory.create())
    counts = []
    for more in (1, 9):
        CompanyFactory.create_batch(more)
        client.get("/companies/")
        with CaptureQueriesContext(
            connection,
        ) as queries:
            client.get("/companies/")
        counts.append(len(queries))
    assert counts[0] == counts[1]
