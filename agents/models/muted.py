"""Companies that a person does not want to be shown again."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from listings.models import Company


class MutedCompany(models.Model):
    """A person has said of a company: do not show me this again. No agent of theirs does."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="muted_companies",
        db_index=False,  # the unique one below serves
        verbose_name=_("person"),
    )
    company = models.ForeignKey(
        Company, on_delete=models.CASCADE, related_name="+", verbose_name=_("company")
    )
    muted_at = models.DateTimeField(_("hidden"), default=timezone.now)

    class Meta:
        verbose_name = _("hidden company")
        verbose_name_plural = _("hidden companies")
        constraints = [
            models.UniqueConstraint(fields=["user", "company"], name="muted_once_per_person"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} ✕ {self.company_id}"
