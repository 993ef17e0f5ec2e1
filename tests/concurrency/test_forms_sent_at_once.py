"""Each form that changes something, sent twice at the same moment: no error, and done once."""

from __future__ import annotations

import pytest
from django.test import Client

from agents.models import MutedCompany, ScheduledMailReport
from listings.models import Company, Enquiry
from marketplace.models import User
from tests.factories import AgentFactory, CompanyFactory, UserFactory, industry, region
from tests.sending_twice import send_two
from tests.signing_in import sign_in_just_now

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def person() -> User:
    user = UserFactory.create(email="mia@example.com")
    ScheduledMailReport.objects.filter(user=user).delete()
    return user


@pytest.fixture
def browser(client: Client, person: User) -> Client:
    sign_in_just_now(client, person)
    return client


@pytest.mark.parametrize(
    ("action", "is_active", "is_deleted"),
    [("switch", False, False), ("delete", True, True), ("restore", True, False)],
)
def test_what_is_done_to_an_agent(
    browser: Client, person: User, action: str, is_active: bool, is_deleted: bool
) -> None:
    agent = AgentFactory.create(user=person)
    if action == "restore":
        assert send_two(browser, f"/agents/{agent.pk}/delete/", {}) == [302, 302]
    assert send_two(browser, f"/agents/{agent.pk}/{action}/", {"on": "0"}) == [302, 302]
    agent.refresh_from_db()
    assert (agent.is_active, agent.deleted_at is not None) == (is_active, is_deleted)
    assert ScheduledMailReport.objects.filter(user=person).count() == 1


def test_a_new_agent(browser: Client, person: User) -> None:
    form = {"name": "Oak", "frequency": "daily", "keywords": "oak"}
    assert max(send_two(browser, "/agents/new/", form)) < 500
    assert ScheduledMailReport.objects.filter(user=person).count() == 1


@pytest.mark.parametrize("action", ["hide", "show-again"])
def test_hiding_and_showing_a_company(browser: Client, person: User, action: str) -> None:
    company = CompanyFactory.create()
    assert send_two(browser, f"/companies/{company.pk}/{action}/", {}) == [302, 302]
    assert MutedCompany.objects.count() == (1 if action == "hide" else 0)


def test_a_message_to_a_seller(browser: Client, person: User) -> None:
    company = CompanyFactory.create(seller=UserFactory.create())
    form = {
        "text": "Is it still for sale? I would like to know more about it.",
        "message": "Still?",
    }
    assert max(send_two(browser, f"/companies/{company.pk}/write/", form)) < 500
    assert Enquiry.objects.count() == 1


def test_a_new_company(browser: Client, person: User) -> None:
    form = {
        "title": "Oak mill", "description": "Oak.", "industry": str(industry("C16").pk),
        "region": str(region("DE-BY").pk), "price": "5", "currency": "EUR",
    }  # fmt: skip
    assert max(send_two(browser, "/my-companies/new/", form)) < 500
    assert Company.objects.filter(title="Oak mill").count() == 1


@pytest.mark.parametrize("action", ["publish", "withdraw"])
def test_publishing_and_withdrawing(browser: Client, person: User, action: str) -> None:
    company = CompanyFactory.create(seller=person)
    assert max(send_two(browser, f"/my-companies/{company.pk}/{action}/", {})) < 500
    company.refresh_from_db()
    assert company.status == ("published" if action == "publish" else "withdrawn")


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/accounts/email/", {"email": "new@example.com", "action_add": ""}),
        ("/account/delete/", {"address": "mia@example.com"}),
        ("/accounts/logout/", {}),
        ("/i18n/setlang/", {"language": "de"}),
        ("/accounts/sessions/", {}),
    ],
)
def test_forms_of_the_account(
    browser: Client, person: User, path: str, form: dict[str, str]
) -> None:
    assert max(send_two(browser, path, form)) < 500
    assert User.objects.count() == (0 if path == "/account/delete/" else 1)
