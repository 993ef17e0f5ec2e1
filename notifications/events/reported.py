"""What a provider reports about one message, in our words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from notifications.models import EventKind, Suppression


class UnableToReadEvents(ValueError):
    """The provider's report is not what its documentation promises; the text says where."""


@dataclass(frozen=True, slots=True)
class ReportedEvent:
    """One event. `event_id` is unique with its provider; texts fit into their columns.

    `delivery_id` is what the provider was given, believed only where the address matches too.
    `bars` says why the address gets no more mail, if the event means that.
    """

    provider: str
    event_id: str
    kind: EventKind
    happened_at: datetime
    address: str = ""
    detail: str = ""
    delivery_id: int | None = None
    message_id: str = ""
    bars: Suppression.Cause | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)
