"""Figures kept for the dashboard, so that it reads few rows however long the ledger is."""

from __future__ import annotations

from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class HourlyFigures(models.Model):
    """What became of the messages handed over in one hour, by kind, channel and provider.

    Every figure is of deliveries, each counted once however often it was opened or clicked, and
    counted in the hour in which it was handed over: an opening of today belongs to last week's
    mail. `hour` is a full hour of UTC. `unsettled` are those whose end was not known at the last
    look. Rows outlive the deliveries they were counted from.
    """

    hour = models.DateTimeField(_("hour"))
    kind = models.CharField(_("kind"), max_length=20)
    channel = models.CharField(_("channel"), max_length=5)
    provider = models.CharField(_("provider"), max_length=20, blank=True)
    sent = models.PositiveIntegerField(_("sent"), default=0)
    delivered = models.PositiveIntegerField(_("delivered"), default=0)
    opened = models.PositiveIntegerField(_("opened"), default=0)
    clicked = models.PositiveIntegerField(_("clicked"), default=0)
    bounced = models.PositiveIntegerField(_("bounced"), default=0)
    complained = models.PositiveIntegerField(_("reported as spam"), default=0)
    unsubscribed = models.PositiveIntegerField(_("unsubscribed"), default=0)
    unsettled = models.PositiveIntegerField(_("of unknown outcome"), default=0)

    class Meta:
        verbose_name = _("figures of an hour")
        verbose_name_plural = _("figures of hours")
        constraints = [
            models.UniqueConstraint(
                fields=["hour", "kind", "channel", "provider"], name="figures_once_per_hour"
            ),
        ]
        indexes = [
            models.Index(fields=["hour"], condition=Q(unsettled__gt=0), name="figures_unsettled"),
        ]

    def __str__(self) -> str:
        return f"{self.hour:%Y-%m-%d %H:00} {self.kind} {self.channel} {self.provider}"


class MailDay(models.Model):
    """How many mails people got on one day of the site's time zone.

    `people[n - 1]` people got exactly n mails; the last place holds who got that many or more.
    `mails` went to them in all. `sent` is how many mails the hourly figures knew when this was
    counted; while they know no more, it need not be counted again.
    """

    day = models.DateField(_("day"), primary_key=True)
    sent = models.PositiveIntegerField(_("sent"))
    mails = models.PositiveIntegerField(_("mails to people with an account"))
    people = ArrayField(models.PositiveIntegerField(), verbose_name=_("people by mails"))

    class Meta:
        verbose_name = _("mails per person on a day")
        verbose_name_plural = _("mails per person on days")

    def __str__(self) -> str:
        return f"{self.day}"


class RollupProgress(models.Model):
    """How far the hourly figures have counted; one row, gone when everything is to be counted.

    Deliveries handed over before `counted_until` are counted. Events up to `looked_at_event` have
    been looked at for so long that none before them can still be committed; `newest_event` was
    the newest one at `newest_event_at`.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    counted_until = models.DateTimeField()
    looked_at_event = models.BigIntegerField(default=0)
    newest_event = models.BigIntegerField(default=0)
    newest_event_at = models.DateTimeField()

    class Meta:
        verbose_name = _("progress of the hourly figures")
        verbose_name_plural = _("progress of the hourly figures")
        constraints = [models.CheckConstraint(condition=Q(id=1), name="rollup_progress_single")]

    def __str__(self) -> str:
        return f"{self.counted_until:%Y-%m-%d %H:%M:%S}"

    @classmethod
    def current(cls) -> Self | None:
        """The row, or None before the first count."""
        return cls.objects.first()
