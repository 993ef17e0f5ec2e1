"""Dead letters and uncertain deliveries in an operator's hands: safe, logged, with reasons."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoCaptureOnCommitCallbacks

from notifications import ledger, sources
from notifications.account_mail import KIND as ACCOUNT
from notifications.dead_letters import Handled, count_as_sent, discard, requeue, send_again
from notifications.models import DeadLetterAction, Delivery, SpamReport, State, Suppression
from notifications.sending import send_batch
from tests.factories import AgentFactory
from tests.factories.deliveries import FakeSource, claimed_delivery, dispatching_delivery
from tests.firing import fire, fire_and_read, publish, send, sent_mails

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC)
WHO = {"operator": "ops@example.com", "note": "number corrected", "now": NOW}


@pytest.fixture(autouse=True)
def source() -> FakeSource:
    return FakeSource()


def dead(key: str = "one", kind: str = "fake") -> Delivery:
    delivery = dispatching_delivery(NOW, kind, key)
    ledger.give_up([delivery], reason="attempts_used_up", answer="550 no", now=NOW)
    return Delivery.objects.get(pk=delivery.pk)


def uncertain(key: str = "one") -> Delivery:
    delivery = dispatching_delivery(NOW, key=key)
    ledger.mark_uncertain([delivery], answer="TimeoutError", reason="no_answer")
    return Delivery.objects.get(pk=delivery.pk)


def test_a_requeued_letter_is_sent_with_all_its_attempts(source: FakeSource) -> None:
    delivery = dead()
    Delivery.objects.update(attempts=8)
    assert requeue([delivery], **WHO) == Handled([delivery.pk])  # type: ignore[arg-type]
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts, delivery.reason) == (State.PENDING, 0, "")
    assert (delivery.last_answer, delivery.finished_at) == ("550 no", None)
    assert source.held_again == [delivery.pk]
    assert send_batch([delivery.pk], clock=lambda: NOW) == 1
    log = DeadLetterAction.objects.get()
    assert (log.action, log.operator, log.done_at) == ("requeued", "ops@example.com", NOW)
    assert log.note == "number corrected [8 × attempts_used_up]"


def test_it_goes_to_the_queue_when_it_is_committed(
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    delivery = dead()
    with django_capture_on_commit_callbacks() as callbacks:
        requeue([delivery], **WHO)  # type: ignore[arg-type]
    assert len(callbacks) == 1


def refusal_of(delivery: Delivery) -> str:
    handled = requeue([delivery], **WHO)  # type: ignore[arg-type]
    assert handled.done == []
    assert Delivery.objects.filter(pk=delivery.pk, state=State.PENDING).count() == 0
    assert DeadLetterAction.objects.count() == 0
    return handled.refused[delivery.pk]


@pytest.mark.parametrize("model", [Suppression, SpamReport])
def test_a_barred_address_is_refused(model: type[Suppression] | type[SpamReport]) -> None:
    delivery = dead()
    model._default_manager.create(email=delivery.address.upper())
    assert "suppressed or spam report" in refusal_of(delivery)


def test_what_the_provider_had_accepted_is_refused() -> None:
    delivery = dead()
    Delivery.objects.update(last_event="delivered")
    assert "has accepted it" in refusal_of(delivery)


def test_what_came_too_late_is_refused() -> None:
    delivery = dead()
    Delivery.objects.update(expires_at=NOW - timedelta(seconds=1))
    assert "too late" in refusal_of(delivery)


def test_a_source_may_refuse(source: FakeSource) -> None:
    delivery = dead()
    source.refuses[delivery.pk] = "its code went to somebody else"
    assert refusal_of(delivery) == "its code went to somebody else"


def test_a_kind_that_nobody_composes_is_refused() -> None:
    FakeSource("gone")
    delivery = dead(kind="gone")
    sources._sources.pop("gone")
    assert "nobody can compose" in refusal_of(delivery)


def test_an_account_mail_is_refused_as_its_text_is_gone() -> None:
    assert "was deleted" in refusal_of(dead(kind=ACCOUNT))


@pytest.mark.parametrize("state", [state for state in State if state != State.DEAD])
def test_what_is_no_dead_letter_is_refused(state: State) -> None:
    delivery = claimed_delivery(NOW)
    Delivery.objects.update(state=state)
    for action in (requeue, discard):
        handled = action([delivery], **WHO)  # type: ignore[arg-type]
        assert (handled.done, list(handled.refused)) == ([], [delivery.pk])
    assert Delivery.objects.get().state == state


def test_a_dead_digest_shows_nothing_twice_it_is_refused_and_comes_with_the_next_mail() -> None:
    AgentFactory.create()
    publish("A", minutes_ago=5)
    fire()
    [delivery] = ledger.claim(None, now=datetime.now(UTC), limit=9, lease=timedelta(minutes=5))
    ledger.give_up([delivery], reason="refused", answer="550", now=NOW)
    assert "come with the person's next mail" in refusal_of(delivery)
    assert fire_and_read() == [["A"]]
    assert send() == 1
    assert len(sent_mails()) == 1


def test_of_many_each_has_its_own_answer_and_their_number_costs_nothing() -> None:
    counts = []
    for size in (2, 40):
        letters = [dead(f"{size}:{n}") for n in range(size)]
        Suppression.objects.create(email=letters[0].address)
        with CaptureQueriesContext(connection) as queries:
            handled = requeue(letters, **WHO)  # type: ignore[arg-type]
        counts.append(len(queries))
        assert handled.done == [letter.pk for letter in letters[1:]]
        assert list(handled.refused) == [letters[0].pk]
    assert counts[0] == counts[1]


def test_a_discarded_letter_stays_in_the_ledger_as_not_sent() -> None:
    delivery = dead()
    assert discard([delivery], **WHO).done == [delivery.pk]  # type: ignore[arg-type]
    delivery.refresh_from_db()
    assert (delivery.state, delivery.reason) == (State.CANCELLED, "discarded")
    assert DeadLetterAction.objects.get().action == "discarded"
    assert discard([delivery], **WHO).done == []  # type: ignore[arg-type]


def test_an_uncertain_delivery_is_counted_as_sent_by_hand() -> None:
    delivery = uncertain()
    assert count_as_sent([delivery], **WHO).done == [delivery.pk]  # type: ignore[arg-type]
    delivery.refresh_from_db()
    assert (delivery.state, delivery.finished_at) == (State.SENT, NOW)
    assert delivery.last_answer == "Counted as sent by ops@example.com."
    assert DeadLetterAction.objects.get().action == "as_sent"


def test_an_uncertain_delivery_is_sent_again_by_hand_unless_it_is_proven() -> None:
    lost, taken = uncertain("lost"), uncertain("taken")
    Delivery.objects.filter(pk=taken.pk).update(last_event="accepted")
    handled = send_again([lost, taken], **WHO)  # type: ignore[arg-type]
    assert (handled.done, list(handled.refused)) == ([lost.pk], [taken.pk])
    assert send_batch([lost.pk, taken.pk], clock=lambda: NOW) == 1
    assert DeadLetterAction.objects.get().action == "again"
