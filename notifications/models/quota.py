"""What each provider allows, and whether it is paused until an operator looks at it."""

from __future__ import annotations

from typing import Any

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _


class ProviderQuota(models.Model):
    """The limits of one provider, read afresh for every request; an empty limit does not bind."""

    provider = models.CharField(_("provider"), max_length=20, primary_key=True)
    per_second = models.PositiveIntegerField(
        _("messages per second"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    per_minute = models.PositiveIntegerField(
        _("messages per minute"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    per_day = models.PositiveIntegerField(
        _("messages per day"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    paused_at = models.DateTimeField(
        _("paused since"),
        null=True,
        blank=True,
        help_text=_("Nothing is sent while this is set. Resume with the action of the list."),
    )
    pause_reason = models.CharField(_("paused because"), max_length=300, blank=True)
    updated_at = models.DateTimeField(_("changed"), auto_now=True)

    class Meta:
        verbose_name = _("provider quota")
        verbose_name_plural = _("provider quotas")
        ordering = ["provider"]
        constraints = [
            *(
                models.CheckConstraint(
                    condition=Q(**{field: None}) | Q(**{f"{field}__gte": 1}),
                    name=f"quota_{field}_positive",
                )
                for field in ("per_second", "per_minute", "per_day")
            ),
            models.CheckConstraint(
                condition=Q(per_second=None)
                | Q(per_minute=None)
                | Q(per_minute__gte=F("per_second")),
                name="quota_minute_not_below_second",
                violation_error_message=_("A minute must allow at least as much as a second."),
            ),
        ]

    def __str__(self) -> str:
        return self.provider

    @property
    def is_paused(self) -> bool:
        """True until an operator resumes."""
        return self.paused_at is not None

    @classmethod
    def of(cls, provider: str, **defaults: Any) -> ProviderQuota:
        """The provider's quota in force now; stored with `defaults` at the first call."""
        return cls.objects.get_or_create(provider=provider, defaults=defaults)[0]
