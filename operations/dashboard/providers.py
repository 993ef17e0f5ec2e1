"""How much of each provider's quota is used, read from the token buckets without taking a token."""

from __future__ import annotations

from dataclasses import dataclass

from notifications.limiter import breaker
from notifications.limiter.server import REDIS_ERRORS
from notifications.limiter.token_bucket import Cause, Window, windows_of
from notifications.models import ProviderQuota
from operations.dashboard.charts.axis import percent
from operations.dashboard.links import Links
from operations.metrics.providers import names_in_use, tokens_used


@dataclass(frozen=True, slots=True)
class Bucket:
    """The messages that left in the window that ends now; None while Redis is away."""

    window: str
    quota: int
    used: int | None

    @property
    def width(self) -> str:
        """The filled part of its bar, for SVG."""
        return percent(100 * min(1.0, (self.used or 0) / self.quota))


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider in use. Without buckets nothing limits it.

    `state` is one of running, paused (by an operator, or until one looks at it), waiting (the
    provider asked for it), broken (it does not answer), unknown (Redis is away).
    """

    name: str
    state: str
    reason: str
    buckets: list[Bucket]
    href: str


def providers(*, links: Links) -> list[Provider]:
    """The providers that messages leave through, by name; nothing is stored.

    A Redis that does not answer is waited for once.
    """
    quotas = {quota.provider: quota for quota in ProviderQuota.objects.all()}
    found, is_redis_there = [], True
    for name in names_in_use():
        quota = quotas.get(name, ProviderQuota(provider=name))
        windows = windows_of(quota)
        state, buckets = _asked(name, windows) if is_redis_there else _unknown(windows)
        is_redis_there = state != "unknown"
        if quota.is_paused:
            state = "paused"
        href = links.list_of("notifications.providerquota")
        found.append(Provider(name, state, quota.pause_reason, buckets, href))
    return found


def _asked(name: str, windows: list[Window]) -> tuple[str, list[Bucket]]:
    try:
        return _state(name), [_bucket(name, window) for window in windows]
    except REDIS_ERRORS:
        return _unknown(windows)


def _unknown(windows: list[Window]) -> tuple[str, list[Bucket]]:
    return "unknown", [Bucket(window.name, window.quota, None) for window in windows]


def _state(name: str) -> str:
    rest = breaker.rest_of(name)
    if rest is None:
        return "running"
    return "waiting" if rest.cause is Cause.PAUSED else "broken"


def _bucket(name: str, window: Window) -> Bucket:
    return Bucket(window.name, window.quota, tokens_used(name, window.name, window.length))
