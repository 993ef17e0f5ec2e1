"""Times as whole µs, as the database keeps them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def microseconds_of(at: datetime) -> int:
    """µs since 1970."""
    return (at - EPOCH) // timedelta(microseconds=1)
