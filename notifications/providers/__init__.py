"""Who carries messages: one adapter a provider, one setting a channel that chooses it."""

from __future__ import annotations

from django.conf import settings

from notifications.models import Channel
from notifications.providers.base import Provider
from notifications.providers.outbox import OutboxProvider
from notifications.providers.sendgrid import SendGridProvider
from notifications.providers.smtp import SMTPProvider
from notifications.providers.twilio import TwilioProvider

PROVIDERS: dict[str, type[Provider]] = {
    adapter.name: adapter
    for adapter in (OutboxProvider, SendGridProvider, SMTPProvider, TwilioProvider)
}
SETTINGS = {Channel.EMAIL: "EMAIL_PROVIDER", Channel.SMS: "SMS_PROVIDER"}


class UnableToChooseProvider(LookupError):
    """No setting names a provider for this channel."""


def get_provider(name: str = "") -> Provider:
    """The provider of this name, or the one for mail. Use it as a context: it holds connections.

    KeyError for a name nobody knows.
    """
    return PROVIDERS[name]() if name else provider_for(Channel.EMAIL)


def provider_name_for(channel: str) -> str:
    """The name of the provider that carries messages of this channel; '' where none does."""
    name: str = getattr(settings, SETTINGS.get(Channel(channel), ""), "")
    return name


def provider_for(channel: str) -> Provider:
    """The provider that carries messages of this channel; UnableToChooseProvider without one."""
    name = provider_name_for(channel)
    if name not in PROVIDERS:
        raise UnableToChooseProvider(f"There is no provider for {channel}: {name!r}.")
    return PROVIDERS[name]()
