"""Uncertain deliveries after their grace: settled by proof, by evidence, or by the policy."""

from datetime import UTC, datetime, timedelta

import pytest

from notifications import ledger
from notifications.evidence import MINIMUM, PATIENCE, WINDOW
from notifications.models import Delivery, DeliveryEvent, State
from notifications.settlement import MOST_ROWS, settle_uncertain
from tests.factories.deliveries import FakeSource, dispatching_delivery
from tests.limits import set_limits

pytestmark = pytest.mark.django_db
THEN = datetime(2026, 11, 29, 9, tzinfo=UTC)
LATER = THEN + timedelta(minutes=61)


@pytest.fixture(autouse=True)
def source() -> FakeSource:
    return FakeSource()


def uncertain(key: str = "lost", at: datetime = THEN, provider: str = "sendgrid") -> Delivery:
    delivery = dispatching_delivery(at, key=key, provider=provider)
    ledger.mark_uncertain([delivery], answer="TimeoutError", reason="no_answer")
    return delivery


def told(
    count: int, at: datetime = THEN, provider: str = "sendgrid", kind: str = "accepted"
) -> None:
    """So many other messages handed over then, each with an event."""
    for number in range(count):
        key = f"{provider}:{kind}:{at:%H%M%S}:{number}"
        delivery = dispatching_delivery(at, key=key, provider=provider)
        ledger.record_sent([(delivery, "m")], now=at)
        proof(delivery, at, kind)


def proof(delivery: Delivery, at: datetime, kind: str = "accepted") -> None:
    DeliveryEvent.objects.create(
        provider=delivery.provider or "sendgrid",
        provider_event_id=f"e{delivery.pk}{kind}",
        kind=kind,
        delivery=delivery,
        address=delivery.address,
        happened_at=at + timedelta(seconds=2),
    )


def state_of(delivery: Delivery) -> tuple[str, str]:
    delivery.refresh_from_db()
    return delivery.state, delivery.last_answer


def test_silence_while_events_of_that_time_arrive_means_not_accepted() -> None:
    delivery = uncertain()
    told(MINIMUM)
    assert settle_uncertain(LATER) == 1
    state, answer = state_of(delivery)
    assert (state, delivery.next_attempt_at, delivery.reason) == (State.PENDING, LATER, "")
    assert "Sent again" in answer
    assert (delivery.attempts, delivery.enqueued_at, delivery.lease_token) == (1, None, None)
    # Which attempt it was: the mark in Redis of just that attempt does not count any more.
    assert delivery.dispatched_at == THEN


def test_where_no_events_arrive_it_counts_as_sent() -> None:
    delivery = uncertain()
    assert settle_uncertain(LATER) == 1
    state, answer = state_of(delivery)
    assert (state, delivery.finished_at) == (State.SENT, LATER)
    assert "no events" in answer


OTHERS = {
    "too few": {"count": MINIMUM - 1},
    "of another provider": {"count": MINIMUM, "provider": "smtp"},
    "long before": {"count": MINIMUM, "at": THEN - WINDOW - timedelta(minutes=3)},
    "long after": {"count": MINIMUM, "at": THEN + WINDOW + timedelta(minutes=3)},
    "of unknown kind": {"count": MINIMUM, "kind": "unknown"},
}


@pytest.mark.parametrize("name", OTHERS)
def test_events_that_say_nothing_of_that_time_are_no_evidence(name: str) -> None:
    delivery = uncertain()
    told(**OTHERS[name])  # type: ignore[arg-type]
    settle_uncertain(LATER)
    assert state_of(delivery)[0] == State.SENT


def heard(at: datetime) -> None:
    """All events so far came in at this moment."""
    DeliveryEvent.objects.update(received_at=at)


def not_told(count: int, at: datetime) -> None:
    """So many other messages that the provider took then, and no event of them."""
    for number in range(count):
        key = f"quiet:{at:%H%M%S}:{number}"
        delivery = dispatching_delivery(at, key=key, provider="sendgrid")
        ledger.record_sent([(delivery, "m")], now=at)


@pytest.mark.parametrize("seconds", [-90, 5, 90])
def test_a_webhook_that_was_away_then_proves_nothing(seconds: int) -> None:
    """Events of before, and those after it came back, say nothing of the time between."""
    delivery = uncertain()
    told(MINIMUM, at=THEN - timedelta(minutes=2))
    told(MINIMUM, at=THEN + timedelta(minutes=3))
    not_told(MINIMUM, at=THEN + timedelta(seconds=seconds))
    assert settle_uncertain(LATER) == 1
    state, answer = state_of(delivery)
    assert (state, "no events" in answer) == (State.SENT, True)


def test_a_webhook_that_goes_away_in_the_middle_of_a_busy_minute_proves_nothing() -> None:
    """Most of that minute was told, and nothing was sent afterwards: the nearest ones count."""
    delivery = uncertain("last", THEN + timedelta(seconds=30))
    told(60, at=THEN + timedelta(seconds=10))
    not_told(MINIMUM, at=THEN + timedelta(seconds=20))
    assert settle_uncertain(LATER) == 1
    assert state_of(delivery)[0] == State.SENT


def test_a_few_events_that_are_still_on_their_way_do_not_weaken_the_evidence() -> None:
    delivery = uncertain()
    told(19, at=THEN + timedelta(minutes=2))
    not_told(1, at=THEN + timedelta(minutes=2, seconds=1))
    assert settle_uncertain(LATER) == 1
    assert state_of(delivery)[0] == State.PENDING


def test_while_nothing_is_heard_since_it_waits_until_something_is() -> None:
    delivery = uncertain()
    told(MINIMUM, at=THEN - timedelta(minutes=2))
    heard(THEN - timedelta(minutes=1))
    assert settle_uncertain(LATER) == 0
    assert state_of(delivery)[0] == State.UNCERTAIN
    heard(THEN + timedelta(hours=2))
    assert settle_uncertain(THEN + timedelta(hours=3)) == 1
    assert state_of(delivery)[0] == State.PENDING


def test_it_does_not_wait_longer_than_the_provider_tries_to_tell() -> None:
    delivery = uncertain()
    told(MINIMUM, at=THEN - timedelta(minutes=2))
    heard(THEN - timedelta(minutes=1))
    assert settle_uncertain(THEN + PATIENCE - timedelta(seconds=1)) == 0
    assert settle_uncertain(THEN + PATIENCE) == 1
    assert state_of(delivery)[0] == State.PENDING


def test_those_that_wait_keep_nobody_from_being_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("notifications.settlement.MOST_ROWS", 1)
    uncertain("waits")
    told(MINIMUM, at=THEN - timedelta(minutes=2))
    proven = uncertain("proven", THEN + timedelta(minutes=1))
    proof(proven, THEN + timedelta(minutes=1))
    heard(THEN - timedelta(minutes=1))
    assert settle_uncertain(LATER + timedelta(minutes=1)) == 1
    assert state_of(proven)[0] == State.SENT


def test_many_events_of_one_message_are_the_evidence_of_one() -> None:
    delivery = uncertain()
    told(1)
    [other] = Delivery.objects.filter(state=State.SENT)
    for kind in ("delivered", "opened", "clicked"):
        proof(other, THEN, kind)
    settle_uncertain(LATER)
    assert state_of(delivery)[0] == State.SENT


def test_its_own_event_proves_that_it_was_accepted_whatever_the_policy() -> None:
    for policy in ("evidence", "resend", "assume_sent"):
        set_limits(uncertain_policy=policy)  # type: ignore[arg-type]
        delivery = uncertain(policy)
        told(MINIMUM, at=THEN + timedelta(seconds=len(policy)))
        proof(delivery, THEN)
        assert settle_uncertain(LATER) == 1
        state, answer = state_of(delivery)
        assert (state, "event proves" in answer) == (State.SENT, True)


def test_within_the_grace_it_waits() -> None:
    delivery = uncertain()
    set_limits(uncertain_grace_minutes=90)
    assert settle_uncertain(LATER) == 0
    assert state_of(delivery) == (State.UNCERTAIN, "TimeoutError")
    assert settle_uncertain(THEN + timedelta(minutes=91)) == 1


@pytest.mark.parametrize(
    ("policy", "state"), [("assume_sent", State.SENT), ("resend", State.PENDING)]
)
def test_the_other_policies_ask_for_no_evidence(policy: str, state: str) -> None:
    delivery = uncertain()
    if policy == "assume_sent":
        told(MINIMUM)
    set_limits(uncertain_policy=policy)  # type: ignore[arg-type]
    assert settle_uncertain(LATER) == 1
    found, answer = state_of(delivery)
    assert (found, "policy" in answer) == (state, True)


def test_attempts_that_are_used_up_end_as_a_dead_letter(source: FakeSource) -> None:
    delivery = uncertain()
    told(MINIMUM)
    set_limits(max_attempts=1)
    assert settle_uncertain(LATER) == 1
    assert state_of(delivery)[0] == State.DEAD
    assert (delivery.reason, source.released) == ("attempts_used_up", [delivery.pk])


def test_each_time_and_provider_is_judged_by_itself() -> None:
    told(MINIMUM)
    rows = {
        "seen": uncertain("seen"),
        "before": uncertain("before", THEN - timedelta(minutes=30)),
        "mailed": uncertain("mailed", provider="smtp"),
    }
    assert settle_uncertain(LATER) == 3
    assert {name: state_of(row)[0] for name, row in rows.items()} == {
        "seen": "pending",
        "before": "sent",
        "mailed": "sent",
    }


def test_a_call_settles_a_bounded_number_oldest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_ROWS <= 5000
    monkeypatch.setattr("notifications.settlement.MOST_ROWS", 2)
    rows = [uncertain(f"u{n}", THEN + timedelta(seconds=n)) for n in range(3)]
    assert settle_uncertain(LATER + timedelta(minutes=1)) == 2
    assert [state_of(row)[0] for row in rows] == ["sent", "sent", "uncertain"]
    assert settle_uncertain(LATER + timedelta(minutes=1)) == 1
