"""Addresses that get nothing: reported as spam, bounced, unsubscribed, or barred by hand."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class SpamReport(models.Model):
    """Somebody at this address called our mail spam: no more mail to it, in any letter case."""

    email = models.EmailField(_("e-mail address"))
    source = models.CharField(_("reported by"), max_length=50, default="manual")
    reported_at = models.DateTimeField(_("reported"), default=timezone.now)

    class Meta:
        verbose_name = _("spam report")
        verbose_name_plural = _("spam reports")
        indexes = [models.Index(Lower("email"), name="spam_report_email")]
        constraints = [
            models.CheckConstraint(condition=~Q(email=""), name="spam_report_has_address")
        ]

    def __str__(self) -> str:
        return self.email


class Suppression(models.Model):
    """An address that gets no mail at all, and why."""

    class Cause(models.TextChoices):
        BOUNCE = "bounce", _("hard bounce")
        COMPLAINT = "complaint", _("complaint")
        UNSUBSCRIBE = "unsubscribe", _("unsubscribed")
        MANUAL = "manual", _("by hand")

    email = models.EmailField(_("e-mail address"))
    cause = models.CharField(_("cause"), max_length=11, choices=Cause.choices, default=Cause.MANUAL)
    note = models.CharField(_("note"), max_length=200, blank=True)
    created_at = models.DateTimeField(_("since"), default=timezone.now)

    class Meta:
        verbose_name = _("suppression")
        verbose_name_plural = _("suppressions")
        constraints = [
            models.UniqueConstraint(
                Lower("email"),
                name="suppression_unique_in_any_case",
                violation_error_message=_("This address is suppressed already."),
            ),
            models.CheckConstraint(condition=~Q(email=""), name="suppression_has_address"),
        ]

    def __str__(self) -> str:
        return self.email

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.email = self.email.strip()
        super().save(*args, **kwargs)
