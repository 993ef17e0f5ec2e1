"""The page of a delivery tells its story: in plain words, in order, with links, and read-only."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from marketplace.models import User
from notifications.delivery_story import STATES, in_words, steps_of
from notifications.models import DeadLetterAction, Delivery, DeliveryEvent, State
from tests.factories import AgentFactory, UserFactory
from tests.factories.deliveries import pending_deliveries
from tests.firing import fire, publish

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 12, 2, 9, tzinfo=UTC)
DELIVERY = "/admin/notifications/delivery/{}/change/"


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("operator@example.com", "x"))
    return client


def minute(number: int) -> datetime:
    return NOW + timedelta(minutes=number)


def event(delivery: Delivery, number: int, kind: str = "opened", detail: str = "") -> DeliveryEvent:
    return DeliveryEvent.objects.create(
        provider="sendgrid", provider_event_id=f"{delivery.pk}:{number}", kind=kind,
        happened_at=minute(number), delivery=delivery, detail=detail,
    )  # fmt: skip


def dead() -> Delivery:
    [pk] = pending_deliveries(1, NOW)
    Delivery.objects.filter(pk=pk).update(
        state=State.DEAD, reason="refused", last_answer="550 <b>no</b>", attempts=2,
        provider="sendgrid", enqueued_at=minute(1), dispatched_at=minute(2), finished_at=minute(9),
    )  # fmt: skip
    return Delivery.objects.get(pk=pk)


def test_the_story_is_told_in_the_order_of_time() -> None:
    delivery = dead()
    event(delivery, 5, "deferred", "greylisted")
    event(delivery, 3, "accepted")
    DeadLetterAction.objects.create(
        delivery=delivery, action="requeued", operator="ana", note="mended", done_at=minute(7)
    )
    assert [(step.at, step.what, step.detail) for step in steps_of(delivery)] == [
        (NOW, "planned", ""),
        (minute(1), "last put in the queue", ""),
        (minute(2), "handed over, attempt 2", "sendgrid"),
        (minute(3), "sendgrid reports: accepted", ""),
        (minute(5), "sendgrid reports: deferred by the recipient's server", "greylisted"),
        (minute(7), "ana: put in the queue again", "mended"),
        (minute(9), "failed for good", "550 <b>no</b>"),
    ]


def test_the_page_says_it_in_words_and_escapes_what_others_wrote(operator: Client) -> None:
    delivery = dead()
    stored = event(delivery, 3, detail="<script>")
    page = operator.get(DELIVERY.format(delivery.pk)).content.decode()
    assert "It failed for good. An operator can send it again or discard it. Because: " in page
    assert "550 &lt;b&gt;no&lt;/b&gt;" in page
    assert "&lt;script&gt;" in page
    assert f'href="/admin/notifications/deliveryevent/{stored.pk}/change/"' in page


def test_the_next_attempt_is_told_only_while_one_is_to_come(operator: Client) -> None:
    delivery = dead()
    page = operator.get(DELIVERY.format(delivery.pk)).context["adminform"].model_admin
    assert page.next_attempt(delivery) is None
    delivery.state = State.PENDING
    assert page.next_attempt(delivery) == delivery.next_attempt_at


def test_it_links_to_the_person_and_to_the_run(operator: Client) -> None:
    agent = AgentFactory.create()
    publish("Oak mill")
    run = fire()
    delivery = Delivery.objects.get(kind="digest")
    page = operator.get(DELIVERY.format(delivery.pk)).content.decode()
    assert f'href="/admin/marketplace/user/{agent.user_id}/change/"' in page
    assert f'href="/admin/agents/reportrun/{run.pk}/change/"' in page


def test_nothing_on_the_page_can_be_edited(operator: Client) -> None:
    delivery = dead()
    for name in ("delivery", "deadletter"):
        url = f"/admin/notifications/{name}/{delivery.pk}/change/"
        response = operator.get(url)
        assert response.context["adminform"].form.fields == {}
        assert operator.post(url, {"state": "sent"}).status_code == 403


@pytest.mark.parametrize("state", State.values)
def test_every_state_has_its_sentence(state: str) -> None:
    assert in_words(Delivery(state=state)) == str(STATES[State(state)])


def test_of_many_events_the_latest_are_told_and_the_page_costs_the_same(operator: Client) -> None:
    delivery = dead()
    Delivery.objects.filter(pk=delivery.pk).update(user=UserFactory.create())
    counts = []
    for numbers in (range(10, 11), range(11, 215)):
        for number in numbers:
            event(delivery, number)
        operator.get(DELIVERY.format(delivery.pk))
        with CaptureQueriesContext(connection) as queries:
            operator.get(DELIVERY.format(delivery.pk))
        counts.append(len(queries))
    assert counts[0] == counts[1]
    events = [step for step in steps_of(delivery) if step.event_id]
    assert (len(events), events[-1].at) == (200, minute(214))
