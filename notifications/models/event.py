"""What providers report later about messages they took, and what operators did about trouble."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from notifications.models.delivery import Delivery


class EventKind(models.TextChoices):
    """What happened to a message; providers map their own words to these."""

    ACCEPTED = "accepted", _("accepted")
    DELIVERED = "delivered", _("delivered")
    DEFERRED = "deferred", _("deferred by the recipient's server")
    BOUNCED = "bounced", _("bounced for good")
    SOFT_BOUNCED = "soft_bounced", _("bounced for now")
    DROPPED = "dropped", _("dropped by the provider")
    OPENED = "opened", _("opened")
    CLICKED = "clicked", _("clicked")
    COMPLAINED = "complained", _("reported as spam")
    UNSUBSCRIBED = "unsubscribed", _("unsubscribed")
    UNKNOWN = "unknown", _("unknown")


class DeliveryEvent(models.Model):
    """One event, stored once however often the provider sends it."""

    provider = models.CharField(_("provider"), max_length=20)
    provider_event_id = models.CharField(_("provider's event id"), max_length=200)
    kind = models.CharField(_("kind"), max_length=12, choices=EventKind.choices)
    delivery = models.ForeignKey(
        Delivery,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="events",
        verbose_name=_("delivery"),
    )
    address = models.CharField(_("address"), max_length=320, blank=True)
    detail = models.CharField(_("detail"), max_length=300, blank=True)
    happened_at = models.DateTimeField(_("happened"))
    received_at = models.DateTimeField(_("received"), default=timezone.now)
    raw = models.JSONField(_("as received"), default=dict)

    class Meta:
        verbose_name = _("delivery event")
        verbose_name_plural = _("delivery events")
        indexes = [
            models.Index(fields=["provider", "happened_at"], name="event_by_provider_time"),
            models.Index(fields=["kind", "happened_at"], name="event_by_kind_time"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["provider", "provider_event_id"], name="event_unique_per_provider"
            ),
            models.CheckConstraint(
                condition=~Q(provider_event_id=""), name="event_has_provider_id"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.provider} {self.kind} {self.provider_event_id}"


class DeadLetterAction(models.Model):
    """What an operator did with a dead letter or an uncertain delivery, and why."""

    class Action(models.TextChoices):
        REQUEUED = "requeued", _("put in the queue again")
        DISCARDED = "discarded", _("discarded")
        COUNTED_AS_SENT = "as_sent", _("counted as sent")
        SENT_AGAIN = "again", _("sent again")

    delivery = models.ForeignKey(
        Delivery,
        on_delete=models.CASCADE,
        related_name="dead_letter_actions",
        verbose_name=_("delivery"),
    )
    action = models.CharField(_("action"), max_length=9, choices=Action.choices)
    note = models.CharField(_("note"), max_length=300, blank=True)
    operator = models.CharField(_("operator"), max_length=320)
    done_at = models.DateTimeField(_("done"), default=timezone.now)

    class Meta:
        verbose_name = _("action on a dead letter")
        verbose_name_plural = _("actions on dead letters")

    def __str__(self) -> str:
        return f"{self.delivery_id}: {self.action}"
