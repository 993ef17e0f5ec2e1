"""A request that is sent again with the same `Idempotency-Key` makes nothing a second time.

The answers stand in the shared cache for a day. While Redis is away, what is left is the guard of
`create_agent`, which takes the same agent within a minute for a repeat.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from django.core.cache import cache
from django.utils.translation import gettext as _

from marketplace.models import User

# In seconds. A first request that died frees its key after the shorter one.
UNDER_WAY = 60
KEPT = 24 * 60 * 60


class UnableToRepeat(ValueError):
    """The key belongs to another request, or the first one is still under way: see `is_other`."""

    def __init__(self, *, is_other: bool) -> None:
        if is_other:
            text = _("This Idempotency-Key was used for another request.")
        else:
            text = _("The first request with this Idempotency-Key is still under way.")
        super().__init__(text)
        self.is_other = is_other


def once(user: User, key: str, body: str, make: Callable[[], int]) -> int:
    """The id that `make` answers, or answered when this person sent this key and body before.

    Without a key it is always made. Raises UnableToRepeat, and whatever `make` raises, after
    which the key is free again.
    """
    if not key:
        return make()
    place = f"api:once:{user.pk}:{_digest(key)}"
    if not cache.add(place, (_digest(body), None), UNDER_WAY):
        known_body, made = cache.get(place) or (_digest(body), None)
        if made is None or known_body != _digest(body):
            raise UnableToRepeat(is_other=known_body != _digest(body))
        return int(made)
    try:
        made = make()
    except Exception:
        cache.delete(place)
        raise
    cache.set(place, (_digest(body), made), KEPT)
    return made


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
