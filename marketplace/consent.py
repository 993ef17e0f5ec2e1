"""Consent to promotions: asked first, for each channel alone, with the proof kept (§ 7 UWG).

Each time somebody agrees is a row of its own; withdrawing closes it and erases nothing, because
whoever advertises has to prove which words were agreed to, and when.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q, Value
from django.db.models.functions import Greatest
from django.utils.translation import gettext_lazy as _


class Channel(models.TextChoices):
    """The ways in which a promotion reaches a person."""

    EMAIL = "email", _("E-mail")
    SMS = "sms", _("SMS")
    PUSH = "push", _("Push messages")


class Wording(NamedTuple):
    """The very words somebody agreed to, and the code of the language they were shown in."""

    text: str
    language: str


class PromotionConsentQuerySet(models.QuerySet["PromotionConsent"]):
    def in_force(self) -> Self:
        """Consents that nobody has withdrawn: at most one for each person and channel."""
        return self.filter(withdrawn_at=None)


class PromotionConsent(models.Model):
    """A person agreed to promotions on one channel, until `withdrawn_at`."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="promotion_consents",
        verbose_name=_("person"),
    )
    channel = models.CharField(_("channel"), max_length=5, choices=Channel.choices)
    wording = models.TextField(_("wording agreed to"))
    language = models.CharField(_("language of the wording"), max_length=5)
    given_at = models.DateTimeField(_("given"))
    withdrawn_at = models.DateTimeField(_("withdrawn"), null=True, blank=True)

    objects = PromotionConsentQuerySet.as_manager()

    class Meta:
        verbose_name = _("consent to promotions")
        verbose_name_plural = _("consents to promotions")
        constraints = [
            models.UniqueConstraint(
                fields=["user", "channel"],
                condition=Q(withdrawn_at=None),
                name="promotion_consent_once_in_force",
            ),
            models.CheckConstraint(
                condition=Q(channel__in=Channel.values), name="promotion_consent_channel_known"
            ),
            models.CheckConstraint(
                condition=~Q(wording="") & ~Q(language=""), name="promotion_consent_has_wording"
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at=None) | Q(withdrawn_at__gte=F("given_at")),
                name="promotion_consent_withdrawn_after_given",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.get_channel_display()}"


def give_consent(
    user: models.Model, channel: Channel, wording: Wording, now: datetime
) -> PromotionConsent:
    """The consent in force on this channel, stored with its wording if there was none.

    Idempotent, and safe when sent twice at once: what was agreed to first stays the proof.
    """
    new = PromotionConsent(
        user_id=user.pk,
        channel=channel,
        wording=wording.text,
        language=wording.language,
        given_at=now,
    )
    # The partial unique index decides who was first; asking beforehand would leave a gap.
    PromotionConsent.objects.bulk_create([new], ignore_conflicts=True)
    # The newest, not the one in force: another request may have withdrawn it this very moment.
    return PromotionConsent.objects.filter(user_id=user.pk, channel=channel).latest("pk")


def withdraw_consent(user: models.Model, channel: Channel, now: datetime) -> bool:
    """End the consent in force on this channel; whether there was one. Idempotent."""
    return withdraw_consents({user.pk}, channel, now) == 1


def withdraw_consents(user_ids: Collection[int], channel: Channel, now: datetime) -> int:
    """End the consents of these people on this channel; how many ended. One statement."""
    in_force = PromotionConsent.objects.in_force().filter(user__in=user_ids, channel=channel)
    # Clocks of two machines differ: nothing is withdrawn before it was given.
    return in_force.update(withdrawn_at=Greatest(F("given_at"), Value(now)))
