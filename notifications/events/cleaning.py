"""Making what a provider sent storable: no NUL, no half characters, nothing endless."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

LONGEST_TEXT = 500
MOST_ENTRIES = 40
DEEPEST = 4
# PostgreSQL stores neither NUL nor half of a surrogate pair.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# A clock may be wrong by this much; what lies further ahead is no time of an event.
CLOCK_SKEW = timedelta(hours=1)
OLDEST = timedelta(days=60)
_BIGGEST_WHOLE = 2**63


def text_of(value: object, length: int = LONGEST_TEXT) -> str:
    """The value as a storable text of at most `length` characters; '' for what is no scalar."""
    if not isinstance(value, str | int | float):
        return ""
    return _UNSTORABLE.sub("", str(value)).strip()[:length]


def storable(value: Any, depth: int = 0) -> Any:
    """The value as JSON that PostgreSQL takes, cut to a bounded size."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("", value)[:LONGEST_TEXT]
    if isinstance(value, Mapping | list) and depth >= DEEPEST:
        return "…"
    if isinstance(value, Mapping):
        entries = list(value.items())[:MOST_ENTRIES]
        return {text_of(key, 100): storable(entry, depth + 1) for key, entry in entries}
    if isinstance(value, list):
        return [storable(entry, depth + 1) for entry in value[:MOST_ENTRIES]]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and not -_BIGGEST_WHOLE < value < _BIGGEST_WHOLE:
        return "…"
    return value


def moment_of(value: object, now: datetime) -> datetime:
    """The epoch seconds as a time; `now` where they are missing or absurd."""
    try:
        moment = datetime.fromtimestamp(float(text_of(value, 30)), tz=UTC)
    except (ValueError, OverflowError, OSError):
        return now
    return moment if now - OLDEST <= moment <= now + CLOCK_SKEW else now


def fingerprint(value: object) -> str:
    """An id for an event that has none: the same content, the same id."""
    content = json.dumps(value, sort_keys=True, default=str)
    return "sha256:" + hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
