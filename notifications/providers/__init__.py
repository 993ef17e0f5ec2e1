"""Who carries messages: one adapter a provider, chosen by `settings.EMAIL_PROVIDER`."""

from __future__ import annotations

from django.conf import settings

from notifications.providers.base import Provider
from notifications.providers.outbox import OutboxProvider
from notifications.providers.sendgrid import SendGridProvider
from notifications.providers.smtp import SMTPProvider

PROVIDERS: dict[str, type[Provider]] = {
    adapter.name: adapter for adapter in (OutboxProvider, SendGridProvider, SMTPProvider)
}


def get_provider(name: str = "") -> Provider:
    """The provider of this name, or the configured one. Use it as a context: it holds connections.

    KeyError for a name nobody knows.
    """
    return PROVIDERS[name or settings.EMAIL_PROVIDER]()
