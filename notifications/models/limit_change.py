"""Who changed which limit, when, from what to what."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class LimitChange(models.Model):
    """One limit that was changed; written by `save_limits` alone, and never edited."""

    provider = models.CharField(
        _("provider"), max_length=20, blank=True, help_text=_("Empty for the general limits.")
    )
    field = models.CharField(_("limit"), max_length=40)
    before = models.CharField(_("before"), max_length=40, blank=True)
    after = models.CharField(_("after"), max_length=40, blank=True)
    operator = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("person"),
    )
    by_command = models.CharField(_("command"), max_length=100, blank=True)
    changed_at = models.DateTimeField(_("changed"), default=timezone.now)

    class Meta:
        verbose_name = _("change of a limit")
        verbose_name_plural = _("changes of limits")
        indexes = [models.Index(fields=["provider", "field", "-id"], name="limit_change_by_field")]
        constraints = [
            models.CheckConstraint(condition=~Q(field=""), name="limit_change_names_a_field"),
            models.CheckConstraint(
                condition=~Q(before=models.F("after")), name="limit_change_changes_something"
            ),
            models.CheckConstraint(
                condition=Q(operator=None) | Q(by_command=""),
                name="limit_change_by_person_or_command",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.provider or '–'} {self.field}: {self.before or '–'} → {self.after or '–'}"

    @property
    def who(self) -> str:
        """The person's address, or the command; people may have deleted their account since."""
        if self.operator is not None:
            return str(self.operator)
        return self.by_command or str(_("somebody whose account was deleted"))
