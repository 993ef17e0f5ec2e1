"""What operators do about deliveries in trouble: dead letters, and uncertain ones by hand.

Every action is logged with who did it and why, and answers what it refused and for which reason.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from marketplace.id_arrays import these
from notifications.events.applying import PROVING
from notifications.ledger.settling import Proof, discard_dead, open_again, settle_as_sent
from notifications.models import DeadLetterAction, Delivery, Reason, State
from notifications.queueing import enqueue
from notifications.sources import registered_kinds, source_of
from notifications.suppressing import barred_among

Action = DeadLetterAction.Action
NOTE_LENGTH = 300


@dataclass(slots=True)
class Handled:
    """The rows an action took effect for, and why it refused the others, by primary key."""

    done: list[Any] = field(default_factory=list)
    refused: dict[Any, str] = field(default_factory=dict)


def requeue(deliveries: Iterable[Delivery], *, operator: str, note: str, now: datetime) -> Handled:
    """Send these dead letters again, with all their attempts.

    Refused where the address is barred, the message came too late, the provider reports that it
    had accepted it, or its source cannot take hold again of what it gave back.
    """
    return _handle(
        deliveries,
        State.DEAD,
        Action.REQUEUED,
        _Log(operator, note, now),
        refuse=partial(_why_not_again, now=now),
        change=lambda ids: open_again(
            ids, state=State.DEAD, answer="", now=now, forgets_attempts=True
        ),
        is_sent_again=True,
    )


def discard(deliveries: Iterable[Delivery], *, operator: str, note: str, now: datetime) -> Handled:
    """Put these dead letters aside for good; they stay in the ledger as not sent."""
    return _handle(
        deliveries, State.DEAD, Action.DISCARDED, _Log(operator, note, now), change=discard_dead
    )


def count_as_sent(
    deliveries: Iterable[Delivery], *, operator: str, note: str, now: datetime
) -> Handled:
    """The operator knows that the provider has these uncertain deliveries."""
    answer = f"Counted as sent by {operator}."
    return _handle(
        deliveries,
        State.UNCERTAIN,
        Action.COUNTED_AS_SENT,
        _Log(operator, note, now),
        change=lambda ids: settle_as_sent(
            [Proof(pk, answer) for pk in ids], now=now, states=(State.UNCERTAIN,)
        ),
    )


def send_again(
    deliveries: Iterable[Delivery], *, operator: str, note: str, now: datetime
) -> Handled:
    """The operator knows, or risks it, that the provider has not got these uncertain deliveries."""
    return _handle(
        deliveries,
        State.UNCERTAIN,
        Action.SENT_AGAIN,
        _Log(operator, note, now),
        refuse=_proven,
        change=lambda ids: open_again(
            ids,
            state=State.UNCERTAIN,
            answer=f"Sent again by {operator}.",
            now=now,
            forgets_attempts=False,
        ),
        is_sent_again=True,
    )


@dataclass(frozen=True, slots=True)
class _Log:
    operator: str
    note: str
    now: datetime

    def write(self, action: DeadLetterAction.Action, deliveries: Iterable[Delivery]) -> None:
        """One entry a delivery; the attempts, which may be forgotten now, are kept in it."""
        DeadLetterAction.objects.bulk_create(
            DeadLetterAction(
                delivery_id=delivery.pk,
                action=action,
                note=_with_history(self.note, delivery),
                operator=self.operator[:320],
                done_at=self.now,
            )
            for delivery in deliveries
        )


def _with_history(note: str, delivery: Delivery) -> str:
    history = f" [{delivery.attempts} × {delivery.reason or delivery.state}]"
    return note.strip()[: NOTE_LENGTH - len(history)] + history


def _handle(
    deliveries: Iterable[Delivery],
    state: State,
    action: DeadLetterAction.Action,
    log: _Log,
    *,
    change: Callable[[Sequence[int]], Collection[int]],
    refuse: Callable[[Sequence[Delivery]], Mapping[int, str]] = lambda rows: {},
    is_sent_again: bool = False,
) -> Handled:
    """Change what is in `state` and not refused; all in one transaction."""
    wanted = [delivery.pk for delivery in deliveries]
    with transaction.atomic():
        locked = Delivery.objects.select_for_update(no_key=True).filter(pk__in=these(wanted))
        rows = {row.pk: row for row in locked.filter(state=state).order_by("pk")}
        refused = {pk: _("somebody else has dealt with it") for pk in wanted if pk not in rows}
        refused.update(refuse(list(rows.values())))
        done = sorted(change([pk for pk in rows if pk not in refused]))
        log.write(action, [rows[pk] for pk in done])
        if is_sent_again:
            transaction.on_commit(partial(enqueue, done))
    return Handled(done, refused)


def _why_not_again(rows: Sequence[Delivery], *, now: datetime) -> dict[int, str]:
    """What speaks against sending these again, by id; asks the sources about the rest."""
    barred = barred_among([row.address for row in rows])
    refused: dict[int, str] = dict(_proven(rows))
    for row in rows:
        if row.address.lower() in barred:
            refused.setdefault(row.pk, _("the address gets no mail: suppressed or spam report"))
        if row.expires_at is not None and row.expires_at <= now:
            refused.setdefault(row.pk, str(Reason.EXPIRED.label))
    return refused | _refused_by_sources([row for row in rows if row.pk not in refused])


def _proven(rows: Sequence[Delivery]) -> dict[int, str]:
    why = _("the provider reports that it has accepted it")
    return {row.pk: why for row in rows if row.last_event in PROVING}


def _refused_by_sources(rows: Iterable[Delivery]) -> dict[int, str]:
    by_kind: dict[str, list[Delivery]] = defaultdict(list)
    for row in rows:
        by_kind[row.kind].append(row)
    refused: dict[int, str] = {}
    for kind, same_kind in by_kind.items():
        if kind in registered_kinds():
            refused.update(source_of(kind).hold_again(same_kind))
        else:
            why = _("nobody can compose mails of this kind any more")
            refused.update(dict.fromkeys([row.pk for row in same_kind], why))
    return refused
