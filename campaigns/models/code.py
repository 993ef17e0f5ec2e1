"""Promo codes, and the pools they lie in until a campaign's person gets one."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

SHORTEST_CODE = 4
LONGEST_CODE = 40
# As it is stored; whatever a person types is made upper case first.
CODE_PATTERN = rf"^[0-9A-Z][0-9A-Z_-]{{{SHORTEST_CODE - 1},{LONGEST_CODE - 1}}}$"


class CodePool(models.Model):
    """Codes that belong together: one discount, one supplier's list."""

    name = models.CharField(_("name"), max_length=100, unique=True)
    created_at = models.DateTimeField(_("created"), default=timezone.now)

    class Meta:
        verbose_name = _("code pool")
        verbose_name_plural = _("code pools")
        ordering = ["name"]
        constraints = [models.CheckConstraint(condition=~Q(name=""), name="code_pool_has_name")]

    def __str__(self) -> str:
        return self.name


class PromoCodeQuerySet(models.QuerySet["PromoCode"]):
    def free(self) -> Self:
        """Codes that nobody has got."""
        return self.filter(reserved_at=None)


class PromoCode(models.Model):
    """One code: free, then reserved for a campaign's person, then redeemed.

    Campaign and person have no constraint in the database (ADR 9 says what such locks cost); the
    delivery that is opened in the same transaction proves the person. Of a deleted account the
    code stays, without its person.
    """

    pool = models.ForeignKey(
        CodePool,
        on_delete=models.PROTECT,
        related_name="codes",
        db_index=False,
        verbose_name=_("pool"),
    )
    code = models.CharField(
        _("code"), max_length=LONGEST_CODE, validators=[RegexValidator(CODE_PATTERN)]
    )
    campaign = models.ForeignKey(
        "campaigns.Campaign",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="codes",
        db_constraint=False,
        db_index=False,
        verbose_name=_("reserved by campaign"),
    )
    reserved_for = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="promo_codes",
        db_constraint=False,
        db_index=False,
        verbose_name=_("reserved for"),
    )
    reserved_at = models.DateTimeField(_("reserved"), null=True, blank=True)
    redeemed_at = models.DateTimeField(_("redeemed"), null=True, blank=True)

    objects = PromoCodeQuerySet.as_manager()

    class Meta:
        verbose_name = _("promo code")
        verbose_name_plural = _("promo codes")
        indexes = [
            models.Index(
                fields=["pool", "id"], condition=Q(reserved_at=None), name="promo_code_free"
            ),
            models.Index(
                fields=["reserved_for"],
                condition=Q(reserved_for__isnull=False),
                name="promo_code_of_person",
            ),
        ]
        constraints = [
            # Not `unique=True`: that would add a second index for LIKE, which nobody asks for.
            models.UniqueConstraint(fields=["code"], name="promo_code_once"),
            models.UniqueConstraint(
                fields=["campaign", "reserved_for"],
                condition=Q(campaign__isnull=False),
                name="promo_code_one_a_person",
            ),
            models.CheckConstraint(
                condition=Q(code__regex=CODE_PATTERN), name="promo_code_readable"
            ),
            models.CheckConstraint(
                condition=Q(reserved_at=None, campaign=None, reserved_for=None, redeemed_at=None)
                | Q(reserved_at__isnull=False, campaign__isnull=False),
                name="promo_code_free_or_reserved",
            ),
        ]

    def __str__(self) -> str:
        return self.code
