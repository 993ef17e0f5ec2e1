"""Ending promotions from a mail: by one click in a campaign's, as a further offer in any other."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from marketplace.consent import (
    Channel,
    PromotionConsent,
    Wording,
    give_consent,
    withdraw_consent,
)
from marketplace.models import User
from notifications import sources
from notifications.messages import Message, NotWanted
from notifications.models import Delivery, Reason
from notifications.promotions import PromotionSource, allowing_promotions
from notifications.unsubscribe import unsubscribe_from, unsubscribe_url
from tests.factories.deliveries import FakeSource, plain_message
from tests.factories.people import UserFactory

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
YES = Wording("Yes, please.", "en")
ONE_CLICK = {"List-Unsubscribe": "One-Click"}


class CampaignSource(PromotionSource):
    """What an app of campaigns will register: all its messages are promotions."""

    def compose(self, deliveries: Sequence[Delivery]) -> Mapping[int, Message | NotWanted]:
        allowed = allowing_promotions(deliveries)
        return {
            each.pk: plain_message(each) if each.pk in allowed else NotWanted(Reason.NO_CONSENT)
            for each in deliveries
        }

    def release(self, deliveries: Sequence[Delivery]) -> None:
        """Nothing is held."""

    def hold_again(self, deliveries: Sequence[Delivery]) -> Mapping[int, str]:
        return {}


@pytest.fixture(autouse=True)
def _sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_sources", dict(sources._sources))
    sources.register("campaign", CampaignSource())
    FakeSource()


@pytest.fixture
def person() -> User:
    person = UserFactory.create(email="mia@example.com", language="en")
    for channel in Channel:
        give_consent(person, channel, YES, NOW)
    return person


def mail_to(person: User, kind: str = "campaign", **fields: Any) -> Delivery:
    values: dict[str, Any] = {
        "idempotency_key": f"{kind}:{person.pk}:{len(fields)}", "kind": kind, "user": person,
        "address": person.email, **fields,
    }  # fmt: skip
    return Delivery.objects.create(**values)


def link(delivery: Delivery, scope: str = "") -> str:
    path = unsubscribe_url(delivery).removeprefix("http://testserver")
    return path + (f"{scope}/" if scope else "")


def agreed(person: User) -> set[str]:
    return set(
        PromotionConsent.objects.in_force().filter(user=person).values_list("channel", flat=True)
    )


def test_one_click_in_a_campaigns_mail_ends_promotions_by_mail_alone(person: User) -> None:
    other = UserFactory.create()
    give_consent(other, Channel.EMAIL, YES, NOW)
    url = link(mail_to(person))
    stranger = Client(enforce_csrf_checks=True)
    assert "Promotions by e-mail</strong>" in stranger.get(url).content.decode()
    assert agreed(person) == {"email", "sms", "push"}
    for _ in range(2):
        page = stranger.post(url, ONE_CLICK).content.decode()
        assert "You are unsubscribed" in page
        assert "Promotions by e-mail</strong>" in page
        assert agreed(person) == {"sms", "push"}
    assert agreed(other) == {"email"}
    assert "You are unsubscribed" in stranger.get(url).content.decode()


def test_any_mails_page_offers_them_as_long_as_there_is_consent(person: User) -> None:
    mail = mail_to(person, "fake")
    assert "Unsubscribe from: Promotions by e-mail" in Client().get(link(mail)).content.decode()
    Client().post(link(mail))
    assert agreed(person) == {"email", "sms", "push"}
    page = Client().post(link(mail, "promotions")).content.decode()
    assert "Promotions by e-mail</strong>" in page
    assert agreed(person) == {"sms", "push"}
    assert "Promotions" not in Client().get(link(mail)).content.decode()
    page = Client().get(link(mail, "promotions")).content.decode()
    assert "You are unsubscribed" in page


def test_who_never_agreed_is_offered_nothing_and_has_nothing_to_end() -> None:
    person = UserFactory.create()
    mail = mail_to(person, "fake")
    assert "Promotions" not in Client().get(link(mail)).content.decode()
    assert Client().post(link(mail, "promotions")).status_code == 404
    page = Client().post(link(mail_to(person))).content.decode()
    assert "There is nothing left to switch off." in page


@pytest.mark.parametrize(
    ("address", "channel"), [("+491701234567", "sms"), ("device-token", "push")]
)
@pytest.mark.parametrize("is_pruned", [False, True])
def test_a_link_ends_the_channel_it_came_by(
    person: User, address: str, channel: str, is_pruned: bool
) -> None:
    delivery = mail_to(person, address=address, channel=channel)
    url = link(delivery)
    if is_pruned:
        delivery.delete()
    assert Client().post(url, ONE_CLICK).status_code == 200
    assert agreed(person) == {"email", "sms", "push"} - {channel}


def test_a_pruned_mail_still_ends_them(person: User) -> None:
    delivery = mail_to(person)
    url = link(delivery)
    delivery.delete()
    Client().post(url, ONE_CLICK)
    assert agreed(person) == {"sms", "push"}


def test_an_old_mailbox_ends_nothing_for_who_left_it(person: User) -> None:
    url = link(mail_to(person))
    person.email = "mia@elsewhere.example"
    person.save()
    for scope in ("", "promotions/"):
        page = Client().post(url + scope, ONE_CLICK).content.decode()
        assert "There is nothing left to switch off." in page
    assert agreed(person) == {"email", "sms", "push"}


def test_the_account_is_gone_and_the_answer_is_friendly(person: User) -> None:
    url = link(mail_to(person))
    person.delete()
    for response in (Client().get(url), Client().post(url, ONE_CLICK)):
        assert response.status_code == 200
        assert "There is nothing left to switch off." in response.content.decode()


def test_agreeing_again_holds_until_somebody_clicks_again(person: User) -> None:
    url = link(mail_to(person))
    Client().post(url, ONE_CLICK)
    give_consent(person, Channel.EMAIL, YES, datetime.now(UTC))
    assert "Promotions by e-mail" in Client().get(url).content.decode()
    assert "email" in agreed(person)
    Client().post(url, ONE_CLICK)
    assert "email" not in agreed(person)
    assert PromotionConsent.objects.filter(user=person, channel="email").count() == 2


def test_what_is_planned_already_is_not_wanted_any_more(person: User) -> None:
    mail = mail_to(person)
    source = sources.source_of("campaign")
    assert isinstance(source.compose([mail])[mail.pk], Message)
    withdraw_consent(person, Channel.EMAIL, datetime.now(UTC))
    assert source.compose([mail]) == {mail.pk: NotWanted(Reason.NO_CONSENT)}


def test_many_people_cost_the_statements_of_one(person: User) -> None:
    people = UserFactory.create_batch(10)
    for each in people:
        give_consent(each, Channel.EMAIL, YES, NOW)
    counts = []
    for deliveries in ([mail_to(person)], [mail_to(each) for each in people]):
        with CaptureQueriesContext(connection) as queries:
            unsubscribe_from(deliveries, "these")
        counts.append(len(queries))
    assert counts[0] == counts[1]
    assert set(PromotionConsent.objects.in_force().values_list("channel", flat=True)) == {
        "sms",
        "push",
    }
