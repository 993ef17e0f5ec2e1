"""What events change: the delivery, the doubt about it, barred addresses; each event once."""

from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any

import pytest
from pytest_django import Settings

from notifications import ledger
from notifications.models import (
    Delivery,
    DeliveryEvent,
    MailContent,
    SpamReport,
    State,
    Suppression,
)
from notifications.providers.opaque_ids import opaque_id
from tests.factories.deliveries import (
    FakeSource,
    claimed_delivery,
    dispatching_delivery,
    pending_deliveries,
)
from tests.providers.signed_events import PUBLIC_KEY, event, post

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC)
PROVING = ("processed", "delivered", "deferred", "bounce", "dropped", "open", "click",
           "spamreport", "unsubscribe", "group_unsubscribe")  # fmt: skip


@pytest.fixture(autouse=True)
def source(settings: Settings) -> FakeSource:
    settings.SENDGRID_WEBHOOK_PUBLIC_KEY = PUBLIC_KEY
    return FakeSource()


def sent_delivery(key: str = "one") -> Delivery:
    delivery = dispatching_delivery(NOW, key=key, provider="sendgrid")
    ledger.record_sent([(delivery, "m1")], now=NOW)
    return Delivery.objects.get(pk=delivery.pk)


def uncertain_delivery(key: str = "one") -> Delivery:
    delivery = dispatching_delivery(NOW, key=key, provider="sendgrid")
    ledger.mark_uncertain([delivery], answer="TimeoutError", reason="no_answer")
    return Delivery.objects.get(pk=delivery.pk)


def after(*events: dict[str, Any], key: str = "one") -> Delivery:
    assert post(*events).status_code == 200
    return Delivery.objects.get(idempotency_key=key)


@pytest.mark.parametrize("word", PROVING)
def test_any_event_of_an_uncertain_delivery_proves_that_it_was_accepted(word: str) -> None:
    delivery = uncertain_delivery()
    MailContent.objects.create(delivery=delivery, from_address="a@x.example", subject="s", text="t")
    settled = after(event(delivery, word, type="bounce"))
    assert (settled.state, settled.reason, settled.provider_message_id) == ("sent", "", "m1")
    assert "event proves" in settled.last_answer
    assert settled.finished_at is not None
    assert MailContent.objects.count() == 0


def test_an_event_we_do_not_know_proves_nothing() -> None:
    delivery = uncertain_delivery()
    assert after(event(delivery, "teleported")).state == State.UNCERTAIN


def test_what_was_given_back_meanwhile_is_not_sent_a_second_time() -> None:
    delivery = uncertain_delivery()
    ledger.put_back([(delivery, NOW)])
    assert after(event(delivery, "delivered")).state == State.SENT
    assert ledger.claim([delivery.pk], now=NOW, limit=1, lease=timedelta(minutes=5)) == []


def test_a_worker_that_has_claimed_it_anew_cannot_start() -> None:
    delivery = claimed_delivery(NOW)
    assert after(event(delivery, "delivered")).state == State.SENT
    lease = timedelta(minutes=5)
    assert ledger.start_dispatching([delivery], provider="x", now=NOW, lease=lease) == set()


def test_a_worker_that_waits_for_an_answer_can_undo_nothing() -> None:
    delivery = dispatching_delivery(NOW)
    after(event(delivery, "processed"))
    assert ledger.mark_uncertain([delivery], answer="TimeoutError", reason="no_answer") == set()
    assert ledger.put_back([(delivery, NOW)]) == set()
    assert Delivery.objects.get().state == State.SENT


@pytest.mark.parametrize("state", [State.DEAD, State.CANCELLED])
def test_a_delivery_that_has_ended_keeps_its_state_and_shows_the_event(state: State) -> None:
    [pk] = pending_deliveries(1, NOW)
    Delivery.objects.filter(pk=pk).update(state=state, reason="refused")
    delivery = Delivery.objects.get()
    delivery = after(event(delivery, "delivered"), key="fake:0")
    assert (delivery.state, delivery.reason, delivery.last_event) == (state, "refused", "delivered")


def test_an_event_never_settles_another_persons_delivery() -> None:
    mine, other = uncertain_delivery("mine"), uncertain_delivery("other")
    post(
        event(mine, "delivered", delivery=opaque_id(other.pk)),
        event(other, "delivered", delivery=str(other.pk)),
        event(other, "delivered", email=""),
        event(other, "delivered", delivery=opaque_id(10**15)),
    )
    assert set(Delivery.objects.values_list("state", "last_event")) == {("uncertain", "")}
    assert DeliveryEvent.objects.filter(delivery=None).count() == 4


def test_the_address_matches_in_any_letter_case() -> None:
    delivery = uncertain_delivery()
    assert after(event(delivery, "open", email=delivery.address.upper())).state == State.SENT


def moments(delivery: Delivery) -> list[dict[str, Any]]:
    """The life of a message, a second a step."""
    start = int(NOW.timestamp())
    words = ("processed", "deferred", "delivered", "open")
    return [event(delivery, word, timestamp=start + n) for n, word in enumerate(words)]


def test_whatever_the_order_the_last_event_is_the_same() -> None:
    for number, order in enumerate(permutations(range(4))):
        delivery = sent_delivery(f"d{number}")
        events = moments(delivery)
        for position in order:
            post(events[position])
        delivery.refresh_from_db()
        assert (delivery.last_event, delivery.last_event_at) == (
            "opened",
            NOW.replace(microsecond=0) + timedelta(seconds=3),
        )
        assert delivery.state == State.SENT


def test_all_at_once_is_the_same_too() -> None:
    delivery = sent_delivery()
    assert after(*reversed(moments(delivery))).last_event == "opened"


def test_of_two_alike_the_later_one_stands() -> None:
    delivery, start = sent_delivery(), int(NOW.timestamp())
    after(event(delivery, "open", timestamp=start + 9))
    delivery = after(event(delivery, "open", timestamp=start + 5))
    assert delivery.last_event_at == datetime.fromtimestamp(start + 9, UTC)


def test_a_repeated_event_is_stored_and_applied_once(source: FakeSource) -> None:
    delivery = sent_delivery()
    same = event(delivery, "group_unsubscribe")
    assert post(same, same).json() == {"received": 2, "new": 1}
    assert post(same).json() == {"received": 1, "new": 0}
    assert DeliveryEvent.objects.count() == 1
    assert source.unsubscribed == [delivery.pk]


BARRED: list[tuple[dict[str, Any], str | None, int]] = [
    ({"event": "bounce", "type": "bounce", "status": "5.1.1"}, "bounce", 0),
    ({"event": "bounce", "status": "5.1.1"}, "bounce", 0),
    ({"event": "bounce", "type": "blocked", "status": "5.7.1"}, None, 0),
    ({"event": "bounce", "type": "expired"}, None, 0),
    ({"event": "bounce", "status": "4.2.2"}, None, 0),
    ({"event": "deferred"}, None, 0),
    ({"event": "dropped", "reason": "Bounced Address"}, "bounce", 0),
    ({"event": "dropped", "reason": "Invalid"}, "bounce", 0),
    ({"event": "dropped", "reason": "Unsubscribed Address"}, "unsubscribe", 0),
    ({"event": "dropped", "reason": "Spam Reporting Address"}, "complaint", 1),
    ({"event": "dropped", "reason": "Recipient List over Package Quota"}, None, 0),
    ({"event": "spamreport"}, "complaint", 1),
    ({"event": "unsubscribe"}, "unsubscribe", 0),
    ({"event": "group_unsubscribe"}, None, 0),
    ({"event": "delivered"}, None, 0),
    ({"event": "open"}, None, 0),
]


@pytest.mark.parametrize(("fields", "cause", "reports"), BARRED)
def test_only_what_is_final_bars_the_address(
    fields: dict[str, Any], cause: str | None, reports: int
) -> None:
    delivery = sent_delivery()
    post(event(delivery, "", **fields))
    causes = Suppression.objects.values_list("cause", flat=True)
    assert list(causes) == ([cause] if cause else [])
    assert SpamReport.objects.count() == reports


def test_soft_and_hard_bounces_are_told_apart() -> None:
    soft, hard = sent_delivery("soft"), sent_delivery("hard")
    post(event(soft, "bounce", type="blocked"), event(hard, "bounce", type="bounce"))
    kinds = Delivery.objects.order_by("pk").values_list("state", "last_event")
    assert list(kinds) == [("sent", "soft_bounced"), ("sent", "bounced")]


@pytest.mark.parametrize("word", ["unsubscribe", "group_unsubscribe"])
def test_unsubscribing_at_the_provider_is_told_to_the_source(source: FakeSource, word: str) -> None:
    delivery = sent_delivery()
    post(event(delivery, word))
    assert (source.unsubscribed, source.scopes_left) == ([delivery.pk], ["these"])


def test_an_address_is_barred_once_in_any_case_and_the_stronger_cause_stays() -> None:
    delivery = sent_delivery()
    post(event(delivery, "unsubscribe"))
    shouted = delivery.address.upper()
    hard = {"type": "bounce", "reason": "no such user"}
    post(event(delivery, "bounce", email=shouted, **hard), event(delivery, "spamreport"))
    post(event(delivery, "spamreport", email=shouted), event(delivery, "unsubscribe"))
    barred = Suppression.objects.get()
    assert (barred.email, barred.cause) == (delivery.address, "bounce")
    assert "no such user" in barred.note
    assert SpamReport.objects.get().source == "sendgrid"


def test_a_suppression_that_an_operator_lifted_does_not_come_back_with_old_news() -> None:
    delivery = sent_delivery()
    bounce = event(delivery, "bounce", type="bounce")
    post(bounce)
    Suppression.objects.all().delete()
    post(bounce)
    assert Suppression.objects.count() == 0
