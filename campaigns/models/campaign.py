"""A campaign: what is sent to whom, when, and how far it has come."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from campaigns.models.code import CodePool
from marketplace.consent import Channel


class CampaignState(models.TextChoices):
    """draft → scheduled → preparing → running ⇄ paused → finished | cancelled | expired."""

    DRAFT = "draft", _("draft")
    SCHEDULED = "scheduled", _("scheduled")
    PREPARING = "preparing", _("being prepared")
    RUNNING = "running", _("running")
    PAUSED = "paused", _("paused")
    FINISHED = "finished", _("finished")
    CANCELLED = "cancelled", _("cancelled")
    EXPIRED = "expired", _("expired")


STARTED_STATES = ("preparing", "running", "paused", "finished")


class Activity(models.TextChoices):
    """Whether people have opened or clicked a mail lately (`audience.READING_DAYS`)."""

    ANY = "", _("everybody")
    READING = "reading", _("who opened or clicked a mail in the last 90 days")
    QUIET = "quiet", _("who opened or clicked no mail in the last 90 days")


class Refusal(models.TextChoices):
    """Why a campaign that was to start is a draft again."""

    NONE = "", "–"
    EMPTY_AUDIENCE = "empty_audience", _("nobody is in the audience")
    SHORT_POOL = "short_pool", _("there are fewer free codes than people")


class CampaignQuerySet(models.QuerySet["Campaign"]):
    def due(self, now: object) -> Self:
        """Scheduled ones whose time has come."""
        return self.filter(state=CampaignState.SCHEDULED, starts_at__lte=now)


class Campaign(models.Model):
    """Terms, audience and state; only `campaigns.lifecycle` writes the state.

    The filter: an empty field lets everybody through; several must all be true.
    """

    name = models.CharField(_("name"), max_length=100)
    channels = ArrayField(
        models.CharField(max_length=5, choices=Channel.choices), verbose_name=_("channels")
    )
    code_pool = models.ForeignKey(
        CodePool,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="campaigns",
        verbose_name=_("code pool"),
        help_text=_("Empty: no codes; every text must do without."),
    )
    starts_at = models.DateTimeField(_("starts"), null=True, blank=True)
    not_after = models.DateTimeField(_("nothing is sent after"), null=True, blank=True)

    languages = ArrayField(
        models.CharField(max_length=5, choices=settings.LANGUAGES),
        verbose_name=_("languages"),
        default=list,
        blank=True,
    )
    regions = ArrayField(
        models.CharField(max_length=10),
        verbose_name=_("regions of their search agents"),
        default=list,
        blank=True,
    )
    joined_from = models.DateTimeField(_("joined from"), null=True, blank=True)
    joined_until = models.DateTimeField(_("joined before"), null=True, blank=True)
    seen_from = models.DateTimeField(_("last signed in from"), null=True, blank=True)
    seen_until = models.DateTimeField(_("last signed in before"), null=True, blank=True)
    activity = models.CharField(
        _("activity"), max_length=7, choices=Activity.choices, default=Activity.ANY, blank=True
    )

    state = models.CharField(
        _("state"), max_length=9, choices=CampaignState.choices, default=CampaignState.DRAFT
    )
    refusal = models.CharField(
        _("could not start because"), max_length=14, choices=Refusal.choices, blank=True
    )
    frozen_until_user = models.BigIntegerField(_("audience frozen up to person"), default=0)
    recipients = models.PositiveIntegerField(_("people in the audience"), default=0)
    messages = models.PositiveIntegerField(_("messages to send"), default=0)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("created by"),
    )
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    started_at = models.DateTimeField(_("started"), null=True, blank=True)
    frozen_at = models.DateTimeField(_("audience frozen"), null=True, blank=True)
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)

    objects = CampaignQuerySet.as_manager()

    class Meta:
        verbose_name = _("campaign")
        verbose_name_plural = _("campaigns")
        ordering = ["-pk"]
        indexes = [
            models.Index(
                fields=["state", "starts_at"],
                condition=Q(state__in=["scheduled", "preparing", "running", "paused"]),
                name="campaign_active",
            )
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=CampaignState.values), name="campaign_state_known"
            ),
            models.CheckConstraint(
                condition=Q(channels__contained_by=Channel.values) & Q(channels__len__gte=1),
                name="campaign_channels_known",
                violation_error_message=_("Choose at least one channel."),
            ),
            models.CheckConstraint(
                condition=Q(activity__in=Activity.values), name="campaign_activity_known"
            ),
            models.CheckConstraint(
                condition=Q(refusal__in=Refusal.values) & (Q(refusal="") | Q(state="draft")),
                name="campaign_refusal_of_a_draft",
            ),
            models.CheckConstraint(
                condition=~Q(state="scheduled") | Q(starts_at__isnull=False),
                name="campaign_scheduled_has_start",
            ),
            models.CheckConstraint(
                condition=Q(starts_at=None) | Q(not_after=None) | Q(not_after__gt=F("starts_at")),
                name="campaign_ends_after_start",
                violation_error_message=_("The end must come after the start."),
            ),
            models.CheckConstraint(
                condition=Q(joined_from=None)
                | Q(joined_until=None)
                | Q(joined_until__gt=F("joined_from")),
                name="campaign_joined_ordered",
                violation_error_message=_("The later date must come after the earlier."),
            ),
            models.CheckConstraint(
                condition=Q(seen_from=None) | Q(seen_until=None) | Q(seen_until__gt=F("seen_from")),
                name="campaign_seen_ordered",
                violation_error_message=_("The later date must come after the earlier."),
            ),
            models.CheckConstraint(
                condition=~Q(state__in=STARTED_STATES) | Q(started_at__isnull=False),
                name="campaign_started_has_time",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["running", "paused", "finished"])
                | Q(frozen_at__isnull=False),
                name="campaign_running_is_frozen",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["finished", "cancelled", "expired"], ended_at__isnull=False)
                | (~Q(state__in=["finished", "cancelled", "expired"]) & Q(ended_at=None)),
                name="campaign_ended_has_time",
            ),
        ]

    def __str__(self) -> str:
        return self.name
