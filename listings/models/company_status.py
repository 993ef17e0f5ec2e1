"""Whether people may see a company."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Self

from django.db import models
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from listings.models.company import Company  # noqa: F401


class CompanyStatus(models.TextChoices):
    DRAFT = "draft", _("draft")
    PUBLISHED = "published", _("published")
    WITHDRAWN = "withdrawn", _("withdrawn")


class CompanyQuerySet(models.QuerySet["Company"]):
    def published(self, now: datetime) -> Self:
        """Companies that people may see at `now` (a publication may lie ahead)."""
        return self.filter(status=CompanyStatus.PUBLISHED, published_at__lte=now)

    def newest_first(self) -> Self:
        """The order of mails and pages: what became news last comes first."""
        return self.order_by("-fresh_at", "-pk")


class CompanyManager(models.Manager["Company"]):
    """Leaves the search vector in the database: pages and mails never show it."""

    def get_queryset(self) -> CompanyQuerySet:
        return CompanyQuerySet(self.model, using=self._db).defer("search_vector")

    def published(self, now: datetime) -> CompanyQuerySet:
        return self.get_queryset().published(now)
