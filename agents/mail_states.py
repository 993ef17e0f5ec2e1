"""What became of a mail, in the plain words its person reads."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.utils.translation import gettext as _

from notifications.models import Delivery, EventKind, Reason, State

OPENED = {EventKind.OPENED, EventKind.CLICKED}
CAME_BACK = {EventKind.BOUNCED, EventKind.DROPPED}


@dataclass(frozen=True, slots=True)
class MailState:
    """The words, and their tone: good, quiet or warn."""

    words: str
    tone: str


def state_of(delivery: Delivery, events: Collection[str]) -> MailState:
    """What became of the mail; `events` are the kinds that its provider has reported."""
    if delivery.state == State.SENT:
        return _after_sending({*events, delivery.last_event})
    if delivery.state == State.UNCERTAIN:
        return MailState(_("handed over; we wait for word that it arrived"), "quiet")
    if delivery.state in (State.DEAD, State.CANCELLED):
        if delivery.reason in Reason.values:
            reason = {"reason": Reason(delivery.reason).label}
            return MailState(_("not sent, because %(reason)s") % reason, "warn")
        return MailState(_("not sent"), "warn")
    return MailState(_("waiting to be sent"), "quiet")


def _after_sending(events: Collection[str]) -> MailState:
    kinds = set(events)
    if EventKind.COMPLAINED in kinds:
        return MailState(_("reported as spam"), "warn")
    if kinds & OPENED:
        return MailState(_("opened"), "good")
    if EventKind.DELIVERED in kinds:
        return MailState(_("delivered"), "good")
    if kinds & CAME_BACK:
        return MailState(_("sent, but it came back"), "warn")
    return MailState(_("sent"), "good")
