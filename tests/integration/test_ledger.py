"""The ledger: which change takes effect from which state, and what goes with it."""

import time
import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from notifications import ledger
from notifications.ledger import NewDelivery
from notifications.models import Delivery, MailContent, Reason, State
from tests.factories.deliveries import (
    FakeSource,
    claimed_delivery,
    dispatching_delivery,
    new,
    pending_deliveries,
)

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
LEASE = timedelta(minutes=5)


def test_opening_answers_the_new_ids_in_the_order_asked() -> None:
    ids = ledger.open_deliveries([new("b", NOW), new("a", NOW), new("c", NOW)])
    assert list(Delivery.objects.order_by("id").values_list("idempotency_key", flat=True)) == [
        "b",
        "a",
        "c",
    ]
    assert ids == {d.idempotency_key: d.pk for d in Delivery.objects.all()}


def test_a_new_delivery_is_pending_due_and_counts_as_enqueued_when_created() -> None:
    until = NOW + timedelta(hours=72)
    ledger.open_deliveries(
        [NewDelivery("digest:1:2", "fake", None, "a@example.com", 7, NOW, until)]
    )
    row = Delivery.objects.get()
    assert (row.state, row.attempts, row.reason) == ("pending", 0, "")
    assert (row.next_attempt_at, row.enqueued_at, row.created_at) == (NOW, NOW, NOW)
    assert (row.subject_id, row.expires_at, row.channel) == (7, until, "email")


def test_opening_again_answers_only_what_is_new() -> None:
    first = ledger.open_deliveries([new("a", NOW)])
    second = ledger.open_deliveries([new("a", NOW), new("b", NOW), new("b", NOW)])
    assert set(first) == {"a"}
    assert set(second) == {"b"}
    assert Delivery.objects.count() == 2


def test_opening_nothing_is_fine() -> None:
    assert ledger.open_deliveries([]) == {}


def test_opening_two_thousand_takes_one_statement_and_little_time() -> None:
    rows = [new(f"digest:1:{n}", NOW) for n in range(2000)]
    with CaptureQueriesContext(connection) as queries:
        started = time.perf_counter()
        ids = ledger.open_deliveries(rows)
        seconds = time.perf_counter() - started
    assert len(ids) == 2000
    assert len(queries) == 1
    assert seconds < 1.0


@pytest.fixture
def source() -> FakeSource:
    return FakeSource()


def fresh(delivery: Delivery) -> Delivery:
    return Delivery.objects.get(pk=delivery.pk)


def test_claiming_takes_due_rows_only_and_leases_them() -> None:
    ids = pending_deliveries(3, NOW)
    Delivery.objects.filter(pk=ids[1]).update(next_attempt_at=NOW + timedelta(seconds=1))
    claimed = ledger.claim(ids, now=NOW, limit=10, lease=LEASE)
    assert [delivery.pk for delivery in claimed] == [ids[0], ids[2]]
    assert {delivery.state for delivery in claimed} == {"claimed"}
    assert {delivery.lease_expires_at for delivery in claimed} == {NOW + LEASE}
    assert len({delivery.lease_token for delivery in claimed}) == 1


def test_a_claimed_delivery_cannot_be_claimed_again() -> None:
    ids = pending_deliveries(2, NOW)
    ledger.claim(ids, now=NOW, limit=10, lease=LEASE)
    assert ledger.claim(ids, now=NOW, limit=10, lease=LEASE) == []


def test_claiming_keeps_to_its_ids_and_its_limit() -> None:
    ids = pending_deliveries(5, NOW)
    assert [d.pk for d in ledger.claim(ids[3:], now=NOW, limit=9, lease=LEASE)] == ids[3:]
    assert [d.pk for d in ledger.claim(None, now=NOW, limit=2, lease=LEASE)] == ids[:2]


def test_dispatching_counts_an_attempt_and_renews_the_lease() -> None:
    delivery = claimed_delivery(NOW)
    at = NOW + timedelta(minutes=4)
    started = ledger.start_dispatching([delivery], provider="smtp", now=at, lease=LEASE)
    row = fresh(delivery)
    assert started == {delivery.pk}
    assert (row.state, row.attempts, row.provider) == ("dispatching", 1, "smtp")
    assert (row.dispatched_at, row.lease_expires_at) == (at, at + LEASE)
    assert delivery.attempts == 1


def test_sent_keeps_the_providers_id_and_forgets_the_text() -> None:
    delivery = dispatching_delivery(NOW)
    MailContent.objects.create(delivery=delivery, subject="Secret link")
    assert ledger.record_sent([(delivery, "abc")], now=NOW) == {delivery.pk}
    row = fresh(delivery)
    assert (row.state, row.provider_message_id, row.finished_at) == ("sent", "abc", NOW)
    assert row.lease_token is None
    assert not MailContent.objects.exists()


@pytest.mark.parametrize(("change", "attempts"), [(0, 1), (-1, 0), (1, 2)])
def test_put_back_waits_for_its_time_and_counts_as_told(change: int, attempts: int) -> None:
    delivery = dispatching_delivery(NOW)
    due_at = NOW + timedelta(seconds=42)
    ledger.put_back([(delivery, due_at)], answer="busy", attempts_change=change)
    row = fresh(delivery)
    assert (row.state, row.next_attempt_at, row.attempts) == ("pending", due_at, attempts)
    assert (row.last_answer, row.enqueued_at, row.lease_token) == ("busy", None, None)


def test_dead_and_cancelled_release_and_forget(source: FakeSource) -> None:
    dead = dispatching_delivery(NOW, key="dead")
    unwanted = claimed_delivery(NOW, key="unwanted")
    for delivery in (dead, unwanted):
        MailContent.objects.create(delivery=delivery, subject="x")
    ledger.give_up([dead], reason=Reason.REFUSED.value, answer="550\r\nno", now=NOW)
    ledger.cancel([(unwanted, Reason.EXPIRED.value)], now=NOW)
    assert [(r.state, r.reason, r.last_answer) for r in (fresh(dead), fresh(unwanted))] == [
        ("dead", "refused", "550 no"),
        ("cancelled", "expired", ""),
    ]
    assert source.released == [dead.pk, unwanted.pk]
    assert not MailContent.objects.exists()


def test_uncertain_keeps_the_text_and_the_answer_may_still_come() -> None:
    delivery = dispatching_delivery(NOW)
    MailContent.objects.create(delivery=delivery, subject="x")
    ledger.mark_uncertain([delivery], answer="timed out", reason=Reason.NO_ANSWER.value)
    assert (fresh(delivery).state, fresh(delivery).reason) == ("uncertain", "no_answer")
    assert MailContent.objects.count() == 1
    assert ledger.record_sent([(delivery, "late")], now=NOW) == {delivery.pk}
    assert (fresh(delivery).state, fresh(delivery).reason) == ("sent", "")


def _transitions(delivery: Delivery) -> dict[str, Callable[[], set[int]]]:
    refused, expired = Reason.REFUSED.value, Reason.EXPIRED.value
    return {
        "start": lambda: ledger.start_dispatching(
            [delivery], provider="smtp", now=NOW, lease=LEASE
        ),
        "sent": lambda: ledger.record_sent([(delivery, "")], now=NOW),
        "put_back": lambda: ledger.put_back([(delivery, NOW)]),
        "uncertain": lambda: ledger.mark_uncertain([delivery], answer="", reason=refused),
        "give_up": lambda: ledger.give_up([delivery], reason=refused, answer="", now=NOW),
        "cancel": lambda: ledger.cancel([(delivery, expired)], now=NOW),
    }


ALLOWED = {
    State.PENDING: set(),
    State.CLAIMED: {"start", "put_back", "give_up", "cancel"},
    State.DISPATCHING: {"sent", "put_back", "uncertain", "give_up", "cancel"},
    State.UNCERTAIN: {"sent", "put_back", "give_up", "cancel"},
    State.SENT: set(),
    State.DEAD: set(),
    State.CANCELLED: set(),
}


@pytest.mark.parametrize("change", list(_transitions(Delivery())))
@pytest.mark.parametrize("state", State.values)
def test_each_state_allows_its_changes_and_no_others(
    state: str, change: str, source: FakeSource
) -> None:
    delivery = claimed_delivery(NOW)
    Delivery.objects.filter(pk=delivery.pk).update(state=state)
    took_effect = bool(_transitions(delivery)[change]())
    assert took_effect is (change in ALLOWED[State(state)])
    assert (fresh(delivery).state != state) is took_effect


@pytest.mark.parametrize("change", list(_transitions(Delivery())))
@pytest.mark.parametrize("state", ["claimed", "dispatching", "uncertain"])
def test_nothing_changes_under_another_workers_lease(
    state: str, change: str, source: FakeSource
) -> None:
    delivery = claimed_delivery(NOW)
    Delivery.objects.filter(pk=delivery.pk).update(state=state, lease_token=uuid.uuid4())
    assert _transitions(delivery)[change]() == set()
    assert fresh(delivery).state == state
    assert source.released == []


def test_a_source_that_cannot_release_keeps_only_its_own_kind_open() -> None:
    class Broken(FakeSource):
        def release(self, deliveries: Sequence[Delivery]) -> None:
            raise RuntimeError("no")

    Broken("broken")
    FakeSource("fake")
    broken = claimed_delivery(NOW, "broken", "b")
    good = claimed_delivery(NOW, "fake", "g")
    reasons = [(broken, Reason.EXPIRED.value), (good, Reason.EXPIRED.value)]
    assert ledger.cancel(reasons, now=NOW) == {good.pk}
    assert (fresh(broken).state, fresh(good).state) == ("claimed", "cancelled")
