"""The lists of dead letters and uncertain deliveries: what they show, and actions with a note."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from marketplace.models import User
from notifications import dead_letter_batches, ledger
from notifications.admin import noted_actions
from notifications.models import DeadLetterAction, Delivery, ProviderQuota, State, Suppression
from tests.factories import UserFactory
from tests.factories.deliveries import FakeSource, dispatching_delivery

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC)
DEAD = "/admin/notifications/deadletter/"
UNCERTAIN = "/admin/notifications/uncertaindelivery/"


@pytest.fixture(autouse=True)
def source() -> FakeSource:
    return FakeSource()


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("operator@example.com", "x"))
    return client


def dead(key: str) -> Delivery:
    delivery = dispatching_delivery(NOW, key=key)
    ledger.give_up([delivery], reason="refused", answer="550 <b>no such user</b>", now=NOW)
    return Delivery.objects.get(pk=delivery.pk)


def uncertain(key: str) -> Delivery:
    delivery = dispatching_delivery(NOW, key=key)
    ledger.mark_uncertain([delivery], answer="TimeoutError", reason="no_answer")
    return Delivery.objects.get(pk=delivery.pk)


def choose(client: Client, url: str, action: str, *rows: Delivery, **fields: str) -> Any:
    """Run an action of a list; with a note it is confirmed at once."""
    form = {"action": action, "_selected_action": [row.pk for row in rows], **fields}
    if "note" in fields:
        form["confirmed"] = "1"
    return client.post(url, form, follow=True)


def test_the_list_says_why_what_the_provider_answered_and_how_often(operator: Client) -> None:
    dead("gone")
    uncertain("lost")
    page = operator.get(DEAD).content.decode()
    for text in ("gone@example.com", "the provider refused this message", "no such user&lt;/b&gt;"):
        assert text in page
    assert "lost@example.com" not in page
    page = operator.get(UNCERTAIN).content.decode()
    assert "lost@example.com" in page
    assert "TimeoutError" in page
    assert "gone@example.com" not in page


def test_an_action_asks_for_a_note_first_and_changes_nothing_before(operator: Client) -> None:
    letter = dead("a")
    for fields in ({}, {"note": ""}, {"note": "   "}):
        page = choose(operator, DEAD, "requeue", letter, **fields).content.decode()
        assert "Send these again, with all their attempts?" in page
        assert f'name="chosen" value="{letter.pk}"' in page
    assert "This field is required." in page
    assert Delivery.objects.get().state == State.DEAD


def test_requeueing_says_how_many_were_refused_and_why(operator: Client) -> None:
    letters = [dead(key) for key in "abc"]
    Suppression.objects.create(email="b@example.com")
    page = choose(operator, DEAD, "requeue", *letters, note="server mended").content.decode()
    assert "2 are done." in page
    assert "1 was refused: the address gets no mail: suppressed or spam report" in page
    states = Delivery.objects.order_by("pk").values_list("state", flat=True)
    assert list(states) == ["pending", "dead", "pending"]
    log = DeadLetterAction.objects.first()
    assert log is not None
    assert (log.operator, log.note) == ("operator@example.com", "server mended [1 × refused]")


@pytest.mark.parametrize(
    ("url", "action", "state"),
    [
        (DEAD, "discard", State.CANCELLED),
        (UNCERTAIN, "count_as_sent", State.SENT),
        (UNCERTAIN, "send_again", State.PENDING),
    ],
)
def test_the_other_actions(operator: Client, url: str, action: str, state: State) -> None:
    row = dead("a") if url == DEAD else uncertain("a")
    page = choose(operator, url, action, row, note="asked by phone").content.decode()
    assert "1 is done." in page
    assert Delivery.objects.get().state == state
    page = operator.get(f"/admin/notifications/delivery/{row.pk}/change/").content.decode()
    assert "asked by phone" in page


def test_nobody_acts_on_a_row_of_the_other_list(operator: Client) -> None:
    letter = dead("a")
    choose(operator, UNCERTAIN, "send_again", letter, note="x")
    assert Delivery.objects.get().state == State.DEAD


def test_who_may_only_look_cannot_act(client: Client) -> None:
    reader = UserFactory.create(is_staff=True)
    reader.user_permissions.set(Permission.objects.filter(codename="view_deadletter"))
    client.force_login(reader)
    letter = dead("a")
    assert "a@example.com" in client.get(DEAD).content.decode()
    choose(client, DEAD, "requeue", letter, note="x")
    assert Delivery.objects.get().state == State.DEAD
    reader.user_permissions.add(Permission.objects.get(codename="change_deadletter"))
    choose(client, DEAD, "requeue", letter, note="x")
    assert Delivery.objects.get().state == State.PENDING


def test_a_selection_of_the_whole_list_is_done_in_batches_as_it_was_asked_about(
    operator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dead_letter_batches, "BATCH", 2)
    monkeypatch.setattr(noted_actions, "MOST_SHOWN", 2)
    letters = [dead(key) for key in "abcde"]
    asked = choose(operator, DEAD, "requeue", letters[0], select_across="1")
    page = asked.content.decode()
    assert "5 rows are chosen." in page
    assert "b@example.com" in page
    assert "c@example.com" not in page
    assert "and 3 more" in page
    Suppression.objects.create(email="c@example.com")
    later = dead("later")
    form = {"select_across": "1", "chosen": asked.context["chosen"], "note": "mended"}
    page = choose(operator, DEAD, "requeue", letters[0], **form).content.decode()
    assert "4 are done." in page
    assert "1 was refused: the address gets no mail: suppressed or spam report" in page
    assert list(Delivery.objects.filter(state=State.DEAD).order_by("pk")) == [letters[2], later]
    assert DeadLetterAction.objects.count() == 4


def test_filters_of_the_list_hold_for_a_selection_of_all(operator: Client) -> None:
    kept, chosen = dead("kept"), dead("chosen")
    Delivery.objects.filter(pk=chosen.pk).update(reason="expired")
    url = f"{DEAD}?reason__exact=expired"
    asked = choose(operator, url, "discard", chosen, select_across="1")
    assert asked.context["chosen"] == str(chosen.pk)
    form = {"select_across": "1", "chosen": f"{chosen.pk},{kept.pk}", "note": "x"}
    choose(operator, url, "discard", chosen, **form)
    kept.refresh_from_db()
    assert kept.state == State.DEAD


def test_more_than_one_request_can_do_is_said_and_left_for_the_next(
    operator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(noted_actions, "MOST_ROWS", 2)
    letters = [dead(key) for key in "abc"]
    asked = choose(operator, DEAD, "requeue", letters[0], select_across="1")
    assert "these are the first 2" in asked.content.decode()
    assert asked.context["chosen"] == f"{letters[0].pk},{letters[1].pk}"


@pytest.mark.parametrize("chosen", ["", "x", ",,", "9" * 40, "-1", "1\0", "²"])
def test_what_is_no_row_changes_nothing(operator: Client, chosen: str) -> None:
    letter = dead("a")
    form = {"select_across": "1", "chosen": chosen, "note": "x"}
    assert choose(operator, DEAD, "discard", letter, **form).status_code == 200
    letter.refresh_from_db()
    assert letter.state == State.DEAD


@pytest.mark.parametrize("chosen", ["sendgrid\0x", "nobody"])
def test_what_is_no_provider_pauses_nothing(operator: Client, chosen: str) -> None:
    quota = ProviderQuota.of("sendgrid")
    form = {"action": "pause", "_selected_action": ["sendgrid"], "select_across": "1"}
    form |= {"confirmed": "1", "note": "x", "chosen": chosen}
    url = "/admin/notifications/providerquota/"
    assert operator.post(url, form, follow=True).status_code == 200
    quota.refresh_from_db()
    assert not quota.is_paused
