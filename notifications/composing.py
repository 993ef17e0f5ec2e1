"""Asking the message sources for the texts of a batch; one that fails spoils only its own."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import InterfaceError, OperationalError

from notifications.messages import Message, NotWanted
from notifications.models import Delivery, Reason
from notifications.sources import source_of

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NotComposed:
    """The source failed; `error` names how, without the text of a mail in it."""

    error: str


Composed = Message | NotWanted | NotComposed


def compose(deliveries: Sequence[Delivery]) -> dict[int, Composed]:
    """What became of each delivery, by id. A delivery that the source leaves out has no content.

    Raises only when the database is away: nobody's message is to blame for that.
    """
    by_kind = defaultdict(list)
    for delivery in deliveries:
        by_kind[delivery.kind].append(delivery)
    answers: dict[int, Composed] = {}
    for kind, same_kind in by_kind.items():
        answers.update(_compose_kind(kind, same_kind))
    return answers


def _compose_kind(kind: str, deliveries: Sequence[Delivery]) -> Mapping[int, Composed]:
    try:
        found = source_of(kind).compose(deliveries)
    except (OperationalError, InterfaceError):
        raise
    except Exception as error:
        if len(deliveries) > 1:
            return _one_by_one(kind, deliveries)
        logger.exception("UnableToCompose: %s, delivery %s", kind, deliveries[0].pk)
        return {deliveries[0].pk: NotComposed(f"UnableToCompose: {type(error).__name__}")}
    nothing = NotWanted(Reason.NO_CONTENT.value)
    return {delivery.pk: found.get(delivery.pk, nothing) for delivery in deliveries}


def _one_by_one(kind: str, deliveries: Sequence[Delivery]) -> Mapping[int, Composed]:
    """A batch failed as a whole: find the one that spoils it."""
    answers: dict[int, Composed] = {}
    for delivery in deliveries:
        answers.update(_compose_kind(kind, [delivery]))
    return answers
