"""Some people of a campaign's frozen audience, who get their messages together."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from campaigns.models.campaign import Campaign
from marketplace.consent import Channel

# A person's partition is their id modulo this, in every campaign: so their messages keep an order.
# It may change only while no campaign is under way.
PARTITIONS = 32
LARGEST_BATCH = 500


class BatchState(models.TextChoices):
    WAITING = "waiting", _("waits for its turn")
    NO_CODE = "no_code", _("waits for codes")
    SENDING = "sending", _("being sent")
    DONE = "done", _("done")
    DROPPED = "dropped", _("dropped")


OPEN_BATCHES = (BatchState.WAITING, BatchState.NO_CODE, BatchState.SENDING)


class CampaignBatch(models.Model):
    """Up to 500 people of one partition and channel; see ADR 10.

    A lease that has run out says: look whether its deliveries were tried. `user_ids` never
    changes but when some of them move on into another batch.
    """

    campaign = models.ForeignKey(
        Campaign, on_delete=models.CASCADE, related_name="batches", db_index=False
    )
    channel = models.CharField(_("channel"), max_length=5, choices=Channel.choices)
    partition = models.PositiveSmallIntegerField(_("partition"))
    sequence = models.PositiveIntegerField(_("sequence"))
    user_ids = ArrayField(models.BigIntegerField(), verbose_name=_("people"))
    size = models.PositiveSmallIntegerField(_("size"))
    state = models.CharField(
        _("state"), max_length=7, choices=BatchState.choices, default=BatchState.WAITING
    )
    next_turn_at = models.DateTimeField(_("next turn"), default=timezone.now)
    lease_expires_at = models.DateTimeField(_("lease ends"), null=True, blank=True)
    opened_at = models.DateTimeField(_("opened"), null=True, blank=True)
    finished_at = models.DateTimeField(_("ended"), null=True, blank=True)

    class Meta:
        verbose_name = _("batch of a campaign")
        verbose_name_plural = _("batches of a campaign")
        indexes = [
            models.Index(
                fields=["channel", "partition", "next_turn_at"],
                condition=Q(state="waiting"),
                name="batch_waiting",
            ),
            models.Index(fields=["campaign", "state"], name="batch_by_campaign"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "channel", "partition", "sequence"], name="batch_once"
            ),
            models.UniqueConstraint(
                fields=["channel", "partition"],
                condition=Q(state="sending"),
                name="batch_one_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(state__in=BatchState.values), name="batch_state_known"
            ),
            models.CheckConstraint(
                condition=Q(channel__in=Channel.values), name="batch_channel_known"
            ),
            models.CheckConstraint(
                condition=Q(partition__lt=PARTITIONS), name="batch_partition_known"
            ),
            models.CheckConstraint(
                condition=Q(size__gte=1, size__lte=LARGEST_BATCH, user_ids__len=F("size")),
                name="batch_size_true",
            ),
            models.CheckConstraint(
                condition=Q(state="sending", lease_expires_at__isnull=False)
                | (~Q(state="sending") & Q(lease_expires_at=None)),
                name="batch_lease_while_sending",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["done", "dropped"], finished_at__isnull=False)
                | (~Q(state__in=["done", "dropped"]) & Q(finished_at=None)),
                name="batch_ended_has_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.campaign_id}/{self.channel}/{self.partition}/{self.sequence}"
