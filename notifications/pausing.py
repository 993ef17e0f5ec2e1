"""Pausing a provider by hand, and resuming it, whoever paused it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.utils.translation import gettext as _

from notifications.dead_letters import Handled
from notifications.models import ProviderQuota

REASON_LENGTH = 300


def pause(quotas: Iterable[ProviderQuota], *, operator: str, reason: str, now: datetime) -> Handled:
    """Let nothing leave through these until somebody resumes; the first reason stays."""
    text = f"{reason} ({operator})"[:REASON_LENGTH]
    handled = Handled()
    for quota in quotas:
        running = ProviderQuota.objects.filter(pk=quota.pk, paused_at=None)
        if running.update(paused_at=now, pause_reason=text, updated_at=now):
            handled.done.append(quota.pk)
        else:
            handled.refused[quota.pk] = _("it is paused already")
    return handled


def resume(quotas: Iterable[ProviderQuota], *, now: datetime) -> Handled:
    """Let messages leave again; what waits goes out within a minute or so."""
    handled = Handled()
    for quota in quotas:
        paused = ProviderQuota.objects.filter(pk=quota.pk, paused_at__isnull=False)
        if paused.update(paused_at=None, pause_reason="", updated_at=now):
            handled.done.append(quota.pk)
        else:
            handled.refused[quota.pk] = _("it is not paused")
    return handled
