"""The days that the dashboard looks back on."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from django.utils import timezone

LOOKED_BACK = 30
"""Days, with today."""


def last_days(*, now: datetime) -> list[date]:
    """The last days of the site's time zone, today the last."""
    today = timezone.localdate(now, timezone.get_default_timezone())
    return [today - timedelta(days=back) for back in reversed(range(LOOKED_BACK))]
