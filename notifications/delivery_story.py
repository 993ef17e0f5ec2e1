"""What became of one message, in plain words and in the order of time, for who reads its page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from notifications.models import Delivery, State

MOST_EVENTS = 200

STATES: dict[str, Any] = {
    State.PENDING: gettext_lazy("It waits in the queue for its next attempt."),
    State.CLAIMED: gettext_lazy("A worker is composing it."),
    State.DISPATCHING: gettext_lazy("A worker is handing it to the provider."),
    State.SENT: gettext_lazy("The provider has taken it."),
    State.UNCERTAIN: gettext_lazy(
        "Nobody knows whether the provider has taken it. Its events, or an operator, will decide."
    ),
    State.DEAD: gettext_lazy("It failed for good. An operator can send it again or discard it."),
    State.CANCELLED: gettext_lazy("It was not sent, and will not be."),
}


@dataclass(frozen=True, slots=True)
class Step:
    """Something that happened to a message; `event_id` is set where a provider reported it."""

    at: datetime
    what: str
    detail: str = ""
    event_id: int | None = None


def in_words(delivery: Delivery) -> str:
    """The state as a sentence, with the reason where there is one."""
    sentence = str(STATES[delivery.state])
    if not delivery.reason:
        return sentence
    return _("%(sentence)s Because: %(reason)s.") % {
        "sentence": sentence,
        "reason": delivery.get_reason_display(),
    }


def steps_of(delivery: Delivery) -> list[Step]:
    """All that is known, oldest first. Of attempts the ledger keeps the number and the last one.

    Two queries; of more than 200 events the latest are told.
    """
    steps = [*_own(delivery), *_events(delivery), *_actions(delivery)]
    return sorted(steps, key=lambda step: step.at)


def _own(delivery: Delivery) -> list[Step]:
    steps = [Step(delivery.created_at, _("planned"))]
    if delivery.enqueued_at:
        steps.append(Step(delivery.enqueued_at, _("last put in the queue")))
    if delivery.dispatched_at:
        what = _("handed over, attempt %(number)d") % {"number": delivery.attempts}
        steps.append(Step(delivery.dispatched_at, what, delivery.provider))
    if delivery.finished_at:
        steps.append(Step(delivery.finished_at, delivery.get_state_display(), delivery.last_answer))
    return steps


def _events(delivery: Delivery) -> list[Step]:
    rows = delivery.events.order_by("-happened_at", "-pk")[:MOST_EVENTS]
    return [
        Step(
            row.happened_at,
            _("%(provider)s reports: %(event)s")
            % {"provider": row.provider, "event": row.get_kind_display()},
            row.detail,
            row.pk,
        )
        for row in reversed(rows)
    ]


def _actions(delivery: Delivery) -> list[Step]:
    return [
        Step(
            row.done_at,
            _("%(operator)s: %(action)s")
            % {"operator": row.operator, "action": row.get_action_display()},
            row.note,
        )
        for row in delivery.dead_letter_actions.order_by("done_at", "pk")
    ]
