"""Storing events: each one once, however often and in whatever order the provider sends it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import connection

from marketplace.bulk import array_literal
from notifications.events.reported import ReportedEvent

COLUMNS: Mapping[str, str] = {
    "provider": "text",
    "provider_event_id": "text",
    "kind": "text",
    "delivery_id": "bigint",
    "address": "text",
    "detail": "text",
    "happened_at": "timestamptz",
    "received_at": "timestamptz",
    "raw": "jsonb",
}
INSERT_SQL = f"""
INSERT INTO notifications_deliveryevent ({", ".join(COLUMNS)})
SELECT * FROM unnest({", ".join(f"%s::{kind}[]" for kind in COLUMNS.values())})
ON CONFLICT (provider, provider_event_id) DO NOTHING
RETURNING provider_event_id
"""  # noqa: S608


def distinct(events: Sequence[ReportedEvent]) -> list[ReportedEvent]:
    """Each event once, ordered by id: two requests that share events wait, never deadlock."""
    by_id = {event.event_id: event for event in reversed(events)}
    return [by_id[event_id] for event_id in sorted(by_id)]


def store(
    events: Sequence[ReportedEvent], delivery_ids: Mapping[str, int], *, now: datetime
) -> list[ReportedEvent]:
    """Store distinct events of one provider; answers those that are new. One statement.

    `delivery_ids` names the delivery of an event, by event id, where it is known.
    """
    if not events:
        return []
    rows = [_row(event, delivery_ids.get(event.event_id), now) for event in events]
    columns = zip(COLUMNS.values(), zip(*rows, strict=True), strict=True)
    arrays = [array_literal(kind, values) for kind, values in columns]
    with connection.cursor() as cursor:
        cursor.execute(INSERT_SQL, arrays)
        new = {row[0] for row in cursor.fetchall()}
    return [event for event in events if event.event_id in new]


def _row(event: ReportedEvent, delivery_id: int | None, now: datetime) -> tuple[Any, ...]:
    return (
        event.provider,
        event.event_id,
        event.kind.value,
        delivery_id,
        event.address,
        event.detail,
        event.happened_at,
        now,
        json.dumps(event.raw),
    )
