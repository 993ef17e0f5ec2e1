"""The providers: who is paused, whose breaker is open, and how much of each quota is used."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from prometheus_client.core import GaugeMetricFamily, Metric

from notifications.limiter import breaker
from notifications.limiter.server import server
from notifications.limiter.token_bucket import Cause, key, windows_of
from notifications.models import Channel, ProviderQuota
from notifications.providers import PROVIDERS, provider_name_for

# Into so many parts the bucket's script cuts a window.
SLOTS = 250
WINDOWS = {
    "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "day": timedelta(days=1),
}


def names_in_use() -> list[str]:
    """The providers that messages leave through, by the settings."""
    return sorted({provider_name_for(channel) for channel in Channel.values} & set(PROVIDERS))


def pauses(_now: datetime) -> Iterator[Metric]:
    """Paused until an operator resumes, and what is allowed. Raises DatabaseError."""
    paused = GaugeMetricFamily(
        "marktlotse_provider_paused",
        "1 while nothing leaves through this provider until an operator resumes it.",
        labels=["provider"],
    )
    allowed = GaugeMetricFamily(
        "marktlotse_quota_limit", "Messages allowed in a window.", labels=["provider", "window"]
    )
    quotas = {quota.provider: quota for quota in ProviderQuota.objects.all()}
    for name in names_in_use():
        quota = quotas.get(name)
        paused.add_metric([name], int(quota is not None and quota.is_paused))
        for window in windows_of(quota) if quota else ():
            allowed.add_metric([name, window.name], window.quota)
    yield paused
    yield allowed


def limits(_now: datetime) -> Iterator[Metric]:
    """What Redis knows of each provider. Raises one of redis' errors."""
    resting = GaugeMetricFamily(
        "marktlotse_provider_resting",
        "1 while workers leave this provider alone: it asked to wait, or its breaker is open.",
        labels=["provider", "cause"],
    )
    used = GaugeMetricFamily(
        "marktlotse_quota_used",
        "Messages that left in the window that ends now, where it has a limit.",
        labels=["provider", "window"],
    )
    for name in names_in_use():
        rest = breaker.rest_of(name)
        for label, cause in (("asked_to_wait", Cause.PAUSED), ("breaker", Cause.BROKEN)):
            resting.add_metric([name, label], int(rest is not None and rest.cause is cause))
        for window, length in WINDOWS.items():
            used.add_metric([name, window], tokens_used(name, window, length))
    yield resting
    yield used


def tokens_used(provider: str, window: str, length: timedelta) -> int:
    """The tokens that have not come back yet; nobody need have asked for any since.

    Reads only. Raises one of redis' errors.
    """
    seconds, microseconds = _redis().time()
    now = seconds * 1_000_000 + microseconds
    slot = now // (length / timedelta(microseconds=1) / SLOTS)
    bucket = _redis().hgetall(key(provider, window))
    slots = ((int(name), int(tokens)) for name, tokens in bucket.items() if name.isdecimal())
    return sum(tokens for number, tokens in slots if number >= slot - SLOTS)


def _redis() -> Any:
    return server()
