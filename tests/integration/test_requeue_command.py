"""`manage.py requeue` sends dead letters again: chosen, refused one by one, logged, in batches."""

import json
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import DjangoCaptureOnCommitCallbacks

from notifications import dead_letter_batches, ledger
from notifications.models import DeadLetterAction, Delivery, State, Suppression
from tests.factories.deliveries import FakeSource, dispatching_delivery, pending_deliveries

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC)


@pytest.fixture(autouse=True)
def source() -> FakeSource:
    return FakeSource()


def dead(key: str, *, provider: str = "outbox", reason: str = "refused", at: datetime = NOW) -> int:
    delivery = dispatching_delivery(at, key=key, provider=provider)
    ledger.give_up([delivery], reason=reason, answer="550", now=at)
    return delivery.pk


def told(*arguments: str) -> str:
    out = StringIO()
    call_command("requeue", *arguments, stdout=out)
    return out.getvalue()


def told_json(*arguments: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(told("--json", *arguments))
    return answer


def states() -> list[str]:
    return list(Delivery.objects.order_by("pk").values_list("state", flat=True))


def test_each_condition_chooses_its_dead_letters() -> None:
    long_ago = NOW - timedelta(days=3)
    first = dead("a", provider="sendgrid", at=long_ago)
    second = dead("b", reason="attempts_used_up")
    third = dead("c", provider="sendgrid")
    day = (NOW - timedelta(days=1)).isoformat()
    for arguments, chosen in [
        (["--id", str(third), str(first), str(first)], [first, third]),
        (["--provider", "sendgrid"], [first, third]),
        (["--provider", "sendgrid", "--since", day], [third]),
        (["--reason", "attempts_used_up"], [second]),
        (["--since", day], [second, third]),
        (["--all"], [first, second, third]),
        (["--provider", "nobody"], []),
    ]:
        answer = told_json("--dry-run", *arguments)
        assert answer == {"dry_run": True, "done": chosen, "refused": []}, arguments
    assert states() == ["dead"] * 3


def test_a_dry_run_stores_nothing_and_enqueues_nothing(
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks, source: FakeSource
) -> None:
    pk = dead("a")
    with django_capture_on_commit_callbacks() as callbacks:
        assert told_json("--all", "--dry-run")["done"] == [pk]
    assert callbacks == []
    assert source.held_again == [pk]
    assert states() == ["dead"]
    assert not DeadLetterAction.objects.exists()


def test_they_wait_again_are_enqueued_and_logged_with_the_note(
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    pk = dead("a")
    with django_capture_on_commit_callbacks() as callbacks:
        assert told_json("--all", "--note", "server mended")["done"] == [pk]
    assert len(callbacks) == 1
    assert states() == ["pending"]
    log = DeadLetterAction.objects.get()
    assert (log.delivery_id, log.action) == (pk, "requeued")
    assert log.note == "server mended [1 × refused]"
    assert log.operator.startswith("requeue (")


def test_each_refused_one_is_named_with_why() -> None:
    good, barred = dead("a"), dead("b")
    [waiting] = pending_deliveries(1, NOW)
    Suppression.objects.create(email="B@example.com")
    ids = [str(pk) for pk in (good, barred, waiting, 2**62)]
    why_barred = "the address gets no mail: suppressed or spam report"
    why_not_dead = "it is not in this list, or not any more"
    assert told_json("--id", *ids, "--dry-run")["refused"] == [
        {"id": barred, "why": why_barred},
        {"id": waiting, "why": why_not_dead},
        {"id": 2**62, "why": why_not_dead},
    ]
    table = told("--id", *ids, "--note", "x")
    assert "3 refused" in table
    lines = [line.strip("│ ").split("│") for line in table.splitlines() if "│" in line]
    cells = [tuple(cell.strip() for cell in line) for line in lines]
    assert ("sent again", "1") in cells
    assert (f"refused: {why_not_dead}", "2") in cells
    assert (str(barred), why_barred) in cells
    assert states() == ["pending", "dead", "pending"]


def test_thousands_are_done_in_batches_of_their_own(
    monkeypatch: pytest.MonkeyPatch, source: FakeSource
) -> None:
    monkeypatch.setattr(dead_letter_batches, "BATCH", 2)
    ids = [dead(key) for key in "abcde"]
    source.refuses = {ids[2]: "its agent is gone"}
    answer = told_json("--all", "--note", "x")
    assert answer["done"] == [ids[0], ids[1], ids[3], ids[4]]
    assert answer["refused"] == [{"id": ids[2], "why": "its agent is gone"}]
    assert states() == ["pending", "pending", "dead", "pending", "pending"]
    assert told_json("--all", "--note", "x")["done"] == []


def test_a_batch_that_fails_leaves_the_batches_before_it_done(
    monkeypatch: pytest.MonkeyPatch, source: FakeSource
) -> None:
    monkeypatch.setattr(dead_letter_batches, "BATCH", 1)
    ids = [dead(key) for key in "ab"]
    hold = source.hold_again

    def fail_at_the_second(deliveries: Any) -> Any:
        if deliveries[0].pk == ids[1]:
            raise ConnectionError
        return hold(deliveries)

    source.hold_again = fail_at_the_second  # type: ignore[method-assign]
    with pytest.raises(ConnectionError):
        told("--all", "--note", "x")
    assert states() == [State.PENDING, State.DEAD]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--note", "x"], "Name dead letters by --id, --provider, --reason or --since, or --all."),
        (["--all", "--id", "1", "--note", "x"], "Name dead letters by --id, "),
        (["--all"], "Say why with --note; it is kept with each delivery."),
        (["--all", "--note", "  "], "Say why with --note"),
        (["--id=-1"], "'-1' is no id"),
        (["--id", "0"], "'0' is no id"),
        (["--id", "9" * 30], "is no id"),
        (["--id", "²"], "'²' is no id"),
        (["--since", "yesterday"], "'yesterday' is no time such as 2026-11-29T07:00"),
        (["--since", "2026-02-30"], "is no time such as"),
        (["--reason", "bad luck"], "invalid choice: 'bad luck'"),
    ],
)
def test_what_makes_no_sense_is_a_clear_line(arguments: list[str], message: str) -> None:
    dead("a")
    with pytest.raises(CommandError, match=r".") as problem:
        told(*arguments)
    assert message in str(problem.value)
    assert states() == ["dead"]
