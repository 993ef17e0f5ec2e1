"""Companies for sale."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar, Self

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import models
from django.db.models import F, Q, Value
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from listings.freshness import (
    FreshReason,
    Snapshot,
    freshness_after_change,
    undoes_price_news,
)
from listings.models.company_status import CompanyManager, CompanyStatus
from listings.models.currency import CURRENCIES, price_in_euros
from listings.models.taxonomy import Industry, Region

# Where a price on request stands among the others: always last.
ABOVE_ALL_PRICES, BELOW_ALL_PRICES = 10**14, 0

DERIVED = ("published_at", "fresh_at", "fresh_reason", "price_before", "price_eur")
FACTS = (
    "status",
    "price",
    "price_eur",
    "currency",
    "industry_id",
    "region_id",
    "published_at",
)


class Company(models.Model):
    """A company offered for sale.

    `save` keeps `fresh_at` true by the rules of `listings.freshness`, whoever calls it; set-based
    writers (the feed import) apply the same rules themselves.
    """

    title = models.CharField(_("title"), max_length=200)
    description = models.TextField(_("description"), max_length=20_000, blank=True)
    industry = models.ForeignKey(Industry, on_delete=models.PROTECT, verbose_name=_("industry"))
    region = models.ForeignKey(Region, on_delete=models.PROTECT, verbose_name=_("region"))
    price = models.DecimalField(
        _("price"),
        max_digits=14,
        decimal_places=2,
        null=True,
        blank=True,
        help_text=_("Empty means: price on request."),
    )
    currency = models.CharField(_("currency"), max_length=3, choices=CURRENCIES, default="EUR")
    price_eur = models.DecimalField(
        _("price in euros"), max_digits=16, decimal_places=2, null=True, editable=False
    )
    status = models.CharField(
        _("status"), max_length=10, choices=CompanyStatus.choices, default=CompanyStatus.DRAFT
    )
    published_at = models.DateTimeField(_("published"), null=True, blank=True)
    fresh_at = models.DateTimeField(_("news since"), null=True, editable=False)
    fresh_reason = models.CharField(
        _("news because"),
        max_length=10,
        blank=True,
        editable=False,
        choices=[
            (FreshReason.PUBLISHED, _("newly offered")),
            (FreshReason.PRICE_CUT, _("price lowered")),
            (FreshReason.PRICE_NAMED, _("price now named")),
            (FreshReason.INDUSTRY_CORRECTED, _("industry corrected")),
            (FreshReason.REGION_CORRECTED, _("region corrected")),
        ],
    )
    price_before = models.DecimalField(
        _("price before the cut"), max_digits=14, decimal_places=2, null=True, editable=False
    )
    seller = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="companies",
        verbose_name=_("seller"),
    )
    source = models.CharField(_("feed"), max_length=50, blank=True)
    external_id = models.CharField(_("id in the feed"), max_length=100, blank=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated"), auto_now=True)
    search_vector = models.GeneratedField(
        expression=(
            SearchVector("title", weight="A", config="german")
            + SearchVector("description", weight="B", config="german")
            + SearchVector("title", weight="A", config="english")
            + SearchVector("description", weight="B", config="english")
        ),
        output_field=SearchVectorField(),
        db_persist=True,
    )

    objects: ClassVar[CompanyManager] = CompanyManager()

    class Meta:
        verbose_name = _("company")
        verbose_name_plural = _("companies")
        indexes = [
            models.Index(
                fields=["-fresh_at", "-id"],
                condition=Q(status="published"),
                name="company_published_fresh",
            ),
            models.Index(
                fields=["industry", "-fresh_at"],
                condition=Q(status="published"),
                name="company_published_industry",
            ),
            models.Index(
                fields=["region", "-fresh_at"],
                condition=Q(status="published"),
                name="company_published_region",
            ),
            models.Index(
                Coalesce("price_eur", Value(Decimal(ABOVE_ALL_PRICES))),
                F("id"),
                condition=Q(status="published"),
                name="company_published_cheapest",
            ),
            models.Index(
                Coalesce("price_eur", Value(Decimal(BELOW_ALL_PRICES))),
                F("id"),
                condition=Q(status="published"),
                name="company_published_dearest",
            ),
            models.Index(
                fields=["price_eur"],
                condition=Q(status="published"),
                name="company_published_price",
            ),
            GinIndex(fields=["search_vector"], name="company_search"),
            # What the admin's filters ask for, and few companies are.
            models.Index(
                fields=["status", "-id"],
                condition=~Q(status="published"),
                name="company_unpublished",
            ),
            models.Index(
                fields=["currency", "-id"],
                condition=~Q(currency="EUR"),
                name="company_other_currency",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["source", "external_id"],
                condition=~Q(external_id=""),
                name="company_unique_in_feed",
            ),
            models.CheckConstraint(
                condition=Q(price=None) | Q(price__gt=0),
                name="company_price_positive",
                violation_error_message=_(
                    "A price must be above zero; leave it empty for a price on request."
                ),
            ),
            models.CheckConstraint(
                condition=~Q(status="published")
                | Q(published_at__isnull=False, fresh_at__isnull=False),
                name="company_published_has_times",
            ),
        ]

    _stored: Snapshot | None = None
    _stored_published_at: datetime | None = None

    def __str__(self) -> str:
        return self.title

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store; a change that makes the company news moves `fresh_at` in the same write."""
        self.price_eur = price_in_euros(self.price, self.currency)
        if self._apply_freshness(timezone.now()) and kwargs.get("update_fields") is not None:
            kwargs["update_fields"] = {*kwargs["update_fields"], *DERIVED}
        super().save(*args, **kwargs)
        self._remember()

    @classmethod
    def from_db(  # type: ignore[override]
        cls, db: Any, field_names: Collection[str], values: Collection[Any]
    ) -> Self:
        """Remember the stored facts, so that `save` can tell what changed."""
        company = super().from_db(db, field_names, values)
        if set(FACTS) <= set(field_names):
            company._remember()
        return company

    def _remember(self) -> None:
        self._stored, self._stored_published_at = self._snapshot(), self.published_at

    def _snapshot(self) -> Snapshot:
        return Snapshot(
            is_published=self.status == CompanyStatus.PUBLISHED,
            price=self.price,
            currency=self.currency,
            industry=self.industry_id,
            region=self.region_id,
            price_eur=self.price_eur,
        )

    def _apply_freshness(self, now: datetime) -> bool:
        """Set the fields of freshness; True when any of them changed."""
        is_published = self.status == CompanyStatus.PUBLISHED
        if is_published and self.published_at is None:
            self.published_at = now
        if self._stored is None:
            return self._apply_first_freshness(is_published)
        before = self._stored
        if self._stored_published_at is None or self._stored_published_at > now:
            # It was to be published later: nobody has seen it, so its date alone decides.
            before = replace(before, is_published=False)
        freshness = freshness_after_change(
            before, self._snapshot(), now, published_at=self.published_at
        )
        if freshness is None:
            return self._fade_price_news(before)
        self.fresh_at, self.fresh_reason = freshness.fresh_at, freshness.reason
        self.price_before = freshness.price_before
        return True

    def _fade_price_news(self, before: Snapshot) -> bool:
        """A price that rose again, say, is not "lowered" any more; the time of the news stays."""
        if not undoes_price_news(before, self._snapshot(), self.fresh_reason, self.price_before):
            return False
        self.fresh_reason, self.price_before = FreshReason.PUBLISHED, None
        return True

    def _apply_first_freshness(self, is_published: bool) -> bool:
        """A row written for the first time is as fresh as its publication says."""
        if is_published and self.fresh_at is None:
            self.fresh_at, self.fresh_reason = self.published_at, FreshReason.PUBLISHED
        return is_published
