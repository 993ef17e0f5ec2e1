"""How long a failed delivery waits: exponential backoff with full jitter, and bounded pauses."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

from notifications.models import DispatchLimits

_random = random.SystemRandom()
# A provider's word on when to come back is believed within these bounds.
DEFAULT_PAUSE = timedelta(seconds=60)
LONGEST_PAUSE = timedelta(hours=1)


def pause_after(attempts: int, limits: DispatchLimits) -> timedelta:
    """A random pause between 0 and base · 2^(attempts - 1), never over the cap.

    The whole range is random, so that messages that failed together do not come back together.
    """
    longest = min(
        limits.backoff_cap_seconds,
        limits.backoff_base_seconds * 2 ** min(max(attempts, 1) - 1, 32),
    )
    return timedelta(seconds=_random.uniform(0, longest))


def resume_at(until: datetime | None, now: datetime) -> datetime:
    """When to ask a provider again that named `until`; a minute where that is missing or absurd."""
    if until is None or not now < until <= now + LONGEST_PAUSE:
        return now + DEFAULT_PAUSE
    return until
