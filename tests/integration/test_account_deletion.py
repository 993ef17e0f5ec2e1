"""Deleting an account: what goes, what stays, and who is not touched."""

from datetime import UTC, datetime, timedelta

import pytest
from allauth.account.models import EmailAddress
from allauth.account.signals import email_confirmed
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from agents.models import ReportedCompany, ScheduledMailReport
from listings.models import Company, CompanyStatus
from marketplace.account_deletion import delete_account
from marketplace.models import User
from notifications import ledger
from notifications.account_mail import AccountMailSource
from notifications.eligibility import eligible
from notifications.erased_addresses import code_of
from notifications.ledger import NewDelivery, open_deliveries
from notifications.ledger.settling import Proof, settle_as_sent
from notifications.messages import NotWanted
from notifications.models import Delivery, DeliveryEvent, MailContent, Suppression
from notifications.suppressing import barred_among
from tests.factories import UserFactory
from tests.factories.agents import AgentFactory
from tests.factories.listings import CompanyFactory
from tests.signing_in import sign_in_just_now

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
URL = "/account/delete/"


@pytest.fixture
def person() -> User:
    return UserFactory.create(email="Mia@example.com", language="en")


def delivery_to(user: User, kind: str = "account", **fields: object) -> Delivery:
    key = f"{kind}:{user.pk}:{Delivery.objects.count()}"
    [pk] = open_deliveries(
        [
            NewDelivery(
                idempotency_key=key,
                kind=kind,
                user_id=user.pk,
                address=user.email,
                subject_id=None,
                created_at=NOW,
                expires_at=None,
            )
        ]
    ).values()
    Delivery.objects.filter(pk=pk).update(**fields)
    return Delivery.objects.get(pk=pk)


def test_agents_and_what_they_showed_go_and_others_stay(person: User) -> None:
    mine, other = AgentFactory.create(user=person), AgentFactory.create()
    company = CompanyFactory.create()
    for agent in (mine, other):
        ReportedCompany.objects.create(
            agent=agent, user=agent.user, company=company, reported_at=NOW
        )
    ReportedCompany.objects.create(
        agent=mine, user=person, company=CompanyFactory.create(), is_listed=False, reported_at=NOW
    )
    assert delete_account(person.pk, NOW)
    # Everybody has the agent made at sign-up, too.
    left = ScheduledMailReport.objects.values_list("user", flat=True)
    assert list(left) == [other.user_id] * 2
    assert list(ReportedCompany.objects.values_list("agent", flat=True)) == [other.pk]
    assert list(User.objects.values_list("pk", flat=True)) == [other.user_id]


def test_open_messages_are_cancelled_and_sent_ones_lose_the_address(person: User) -> None:
    open_one = delivery_to(person, "digest")
    with_text = delivery_to(person)
    MailContent.objects.create(delivery=with_text, from_address="a@example.com", subject="s")
    sent = delivery_to(person, state="sent", finished_at=NOW, last_answer="250 to mia@example.com")
    event = DeliveryEvent.objects.create(
        provider="sendgrid",
        provider_event_id="e1",
        kind="delivered",
        delivery=sent,
        address=person.email,
        happened_at=NOW,
        raw={"email": person.email},
    )
    others = delivery_to(UserFactory.create())
    delete_account(person.pk, NOW)
    for delivery in (open_one, with_text):
        delivery.refresh_from_db()
        assert (delivery.state, delivery.reason) == ("cancelled", "account_deleted")
        assert (delivery.address, delivery.user_id, delivery.finished_at) == ("", None, NOW)
    assert not MailContent.objects.filter(delivery=with_text).exists()
    sent.refresh_from_db()
    assert (sent.state, sent.address, sent.last_answer) == ("sent", "", "")
    event.refresh_from_db()
    assert (event.address, event.raw) == ("", {})
    others.refresh_from_db()
    assert (others.state, others.address != "") == ("pending", True)


def test_a_sellers_offers_are_withdrawn_and_drafts_go(person: User) -> None:
    offered = CompanyFactory.create(seller=person)
    draft = CompanyFactory.create(seller=person, status="draft", published_at=None)
    others = CompanyFactory.create(seller=UserFactory.create())
    delete_account(person.pk, NOW)
    offered.refresh_from_db()
    assert (offered.status, offered.seller_id) == (CompanyStatus.WITHDRAWN, None)
    assert not Company.objects.filter(pk=draft.pk).exists()
    others.refresh_from_db()
    assert others.status == CompanyStatus.PUBLISHED


def test_a_barred_address_stays_barred_as_a_code(person: User) -> None:
    Suppression.objects.create(email="mia@example.com", cause="unsubscribe", note="Mia asked")
    delete_account(person.pk, NOW)
    [left] = Suppression.objects.all()
    assert "mia" not in left.email.lower()
    assert left.email.endswith("@erased.invalid")
    assert len(left.email) == 64 + len("@erased.invalid")
    assert (left.cause, left.note) == ("unsubscribe", "")
    assert barred_among(["MIA@example.com", "x@example.com"]) == {"mia@example.com"}
    again = UserFactory.create(email="mIA@example.com")
    email_confirmed.send(
        EmailAddress, request=None, email_address=EmailAddress.objects.get(user=again)
    )
    assert [(row.email, row.cause) for row in Suppression.objects.all()] == [
        ("mIA@example.com", "unsubscribe")
    ]
    somebody = UserFactory.create(email="somebody@example.com")
    assert list(eligible(NOW)) == [somebody]
    delete_account(again.pk, NOW)
    assert [(row.email, row.cause) for row in Suppression.objects.all()] == [
        (left.email, "unsubscribe")
    ]


def test_codes_made_under_a_former_key_are_known(person: User, settings: Settings) -> None:
    Suppression.objects.create(email="mia@example.com", cause="unsubscribe")
    delete_account(person.pk, NOW)
    settings.SECRET_KEY, former = "another key", settings.SECRET_KEY
    assert barred_among(["mia@example.com"]) == set()
    settings.SECRET_KEY_FALLBACKS = ["one in between", former]
    assert barred_among(["mia@example.com"]) == {"mia@example.com"}
    again = UserFactory.create(email="mia@example.com")
    email_confirmed.send(
        EmailAddress, request=None, email_address=EmailAddress.objects.get(user=again)
    )
    assert [row.email for row in Suppression.objects.all()] == ["mia@example.com"]


def test_codes_made_under_two_keys_become_one_bar(person: User, settings: Settings) -> None:
    Suppression.objects.create(email=code_of(person.email), cause="unsubscribe")
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another key", [settings.SECRET_KEY]
    Suppression.objects.create(email=code_of(person.email), cause="complaint")
    email_confirmed.send(
        EmailAddress, request=None, email_address=EmailAddress.objects.get(user=person)
    )
    assert [(row.email, row.cause) for row in Suppression.objects.all()] == [
        (person.email, "complaint")
    ]


def test_a_bar_newer_than_the_code_stays_when_its_person_comes_back(person: User) -> None:
    Suppression.objects.create(email=code_of("mia@example.com"), cause="unsubscribe")
    Suppression.objects.create(email="MIA@example.com", cause="bounce")
    email_confirmed.send(
        EmailAddress, request=None, email_address=EmailAddress.objects.get(user=person)
    )
    assert [(row.email, row.cause) for row in Suppression.objects.all()] == [
        ("MIA@example.com", "bounce")
    ]


def test_a_bar_newer_than_the_code_takes_its_place(person: User) -> None:
    Suppression.objects.create(email=code_of("mia@example.com"), cause="unsubscribe")
    Suppression.objects.create(email="MIA@example.com", cause="bounce")
    delete_account(person.pk, NOW)
    assert [(row.email, row.cause) for row in Suppression.objects.all()] == [
        (code_of("mia@example.com"), "bounce")
    ]


def test_an_address_that_bounced_gets_no_mail_after_its_person_left(person: User) -> None:
    Suppression.objects.create(email="mia@example.com", cause="bounce")
    delete_account(person.pk, NOW)
    delivery = delivery_to(UserFactory.create(email="mia@example.com"))
    MailContent.objects.create(delivery=delivery, from_address="a@example.com", subject="s")
    answer = AccountMailSource().compose([delivery])[delivery.pk]
    assert answer == NotWanted("suppressed")


def test_the_last_mail_confirms_it_in_the_persons_language(person: User) -> None:
    person.language = "de"
    person.save()
    delete_account(person.pk, NOW)
    [message] = mail.outbox
    assert isinstance(message, EmailMultiAlternatives)
    assert message.to == ["Mia@example.com"]
    assert '<html lang="de">' in str(message.alternatives[0][0])


def test_a_second_time_changes_nothing(person: User, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    assert delete_account(person.pk, NOW)
    assert not delete_account(person.pk, NOW)
    assert len(mail.outbox) == 1
    assert "example.com" not in caplog.text.replace("erased", "")


def test_the_page_asks_for_the_password_first(client: Client, person: User) -> None:
    client.force_login(person)
    response = client.post(URL, {"address": person.email})
    assert response["Location"].startswith("/accounts/reauthenticate/")
    assert User.objects.filter(pk=person.pk).exists()


@pytest.mark.parametrize("typed", ["", "other@example.com", "mia\x00@example.com", "x" * 9000])
def test_a_wrong_address_deletes_nothing(client: Client, person: User, typed: str) -> None:
    sign_in_just_now(client, person)
    response = client.post(URL, {"address": typed, "csrf": ""})
    assert response.status_code == 200
    assert list(response.context["form"].errors) == ["address"]
    assert User.objects.filter(pk=person.pk).exists()


def test_the_typed_address_deletes_and_signs_out(client: Client, person: User) -> None:
    sign_in_just_now(client, person)
    response = client.post(URL, {"address": " mia@EXAMPLE.com "})
    assert response["Location"] == "/account/deleted/"
    assert not User.objects.exists()
    assert client.get("/account/deleted/").status_code == 200
    assert client.get("/account/")["Location"].startswith("/accounts/login/")
    assert client.post(URL, {"address": "mia@example.com"}).status_code == 302


@pytest.mark.parametrize("answer", ["sent", "dead", "proved"])
def test_the_ledger_forgets_the_address_when_the_last_mail_has_ended(
    person: User, settings: Settings, answer: str
) -> None:
    settings.EMAIL_BACKEND = "notifications.email_backend.LedgerEmailBackend"
    address = person.email
    assert delete_account(person.pk, NOW)
    last = Delivery.objects.get(address=address)
    now = timezone.now()
    [claimed] = ledger.claim([last.pk], now=now, limit=1, lease=timedelta(minutes=1))
    ledger.start_dispatching([claimed], provider="x", now=now, lease=timedelta(minutes=1))
    assert Delivery.objects.get(pk=last.pk).address == address
    if answer == "sent":
        ledger.record_sent([(claimed, "id")], now=now)
    elif answer == "dead":
        ledger.give_up([claimed], reason="rejected", answer="no", now=now)
    else:
        settle_as_sent([Proof(last.pk, "delivered")], now=now)
    last.refresh_from_db()
    assert (last.address, last.finished_at) == ("", now)
