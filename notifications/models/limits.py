"""Every tunable of planning and sending, in one row, read afresh by each run and batch."""

from __future__ import annotations

from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


def _whole(
    name: Any, default: int, lowest: int, highest: int, help_text: Any
) -> models.PositiveIntegerField:
    return models.PositiveIntegerField(
        name,
        default=default,
        help_text=help_text,
        validators=[MinValueValidator(lowest), MaxValueValidator(highest)],
    )


BOUNDS = {
    "max_mails_per_run": (0, 10_000_000),
    "max_companies": (1, 100),
    "max_agents_per_user": (1, 100),
    "max_listing_age_days": (1, 365),
    "late_commit_grace_seconds": (0, 86_400),
    "batch_size": (1, 1000),
    "lease_seconds": (30, 3600),
    "requeue_after_seconds": (5, 86_400),
    "max_attempts": (1, 50),
    "backoff_base_seconds": (1, 3600),
    "backoff_cap_seconds": (1, 86_400),
    "digest_valid_hours": (1, 720),
}


class DispatchLimits(models.Model):
    """The limits in force. One row; `DispatchLimits.current()` reads it."""

    max_mails_per_run = _whole(
        _("mails per run"),
        5000,
        *BOUNDS["max_mails_per_run"],
        _(
            "At most this many mails a firing of a tier. Who does not fit is first in line at the "
            "next firing. 0 holds all back."
        ),
    )
    max_companies = _whole(
        _("companies per mail"),
        10,
        *BOUNDS["max_companies"],
        _("At most this many companies in one mail; the rest comes in the next one."),
    )
    max_agents_per_user = _whole(
        _("search agents per person"),
        5,
        *BOUNDS["max_agents_per_user"],
        _("How many search agents a person may have."),
    )
    max_listing_age_days = _whole(
        _("oldest news (days)"),
        30,
        *BOUNDS["max_listing_age_days"],
        _("Companies that did not fit into earlier mails wait at most this long, in days."),
    )
    late_commit_grace_seconds = _whole(
        _("grace for late commits (seconds)"),
        900,
        *BOUNDS["late_commit_grace_seconds"],
        _(
            "A run looks this far behind its last one, in seconds, for companies whose transaction "
            "was committed late. Nothing is shown twice by it."
        ),
    )
    batch_size = _whole(
        _("deliveries per batch"),
        100,
        *BOUNDS["batch_size"],
        _("How many deliveries a worker takes at a time."),
    )
    lease_seconds = _whole(
        _("lease (seconds)"),
        300,
        *BOUNDS["lease_seconds"],
        _("After this many seconds without a result a worker counts as lost."),
    )
    requeue_after_seconds = _whole(
        _("put in the queue again after (seconds)"),
        120,
        *BOUNDS["requeue_after_seconds"],
        _("A waiting delivery that no worker has taken is put in the queue again after this."),
    )
    max_attempts = _whole(
        _("attempts"),
        8,
        *BOUNDS["max_attempts"],
        _("After this many failed attempts a delivery is given up."),
    )
    backoff_base_seconds = _whole(
        _("first pause after a failure (seconds)"),
        30,
        *BOUNDS["backoff_base_seconds"],
        _("Doubles with each attempt; the real pause is random between 0 and this."),
    )
    backoff_cap_seconds = _whole(
        _("longest pause after a failure (seconds)"),
        3600,
        *BOUNDS["backoff_cap_seconds"],
        _("The pause between attempts never exceeds this."),
    )
    digest_valid_hours = _whole(
        _("digests are of use for (hours)"),
        72,
        *BOUNDS["digest_valid_hours"],
        _(
            "A digest that could not be sent within this time is dropped; its companies come in "
            "the next one."
        ),
    )
    updated_at = models.DateTimeField(_("changed"), auto_now=True)

    class Meta:
        verbose_name = _("limits")
        verbose_name_plural = _("limits")
        constraints = [
            models.CheckConstraint(condition=Q(pk=1), name="limits_single_row"),
            *(
                models.CheckConstraint(
                    condition=Q(**{f"{field}__gte": lowest, f"{field}__lte": highest}),
                    name=f"limits_{field}_in_bounds",
                )
                for field, (lowest, highest) in BOUNDS.items()
            ),
        ]

    def __str__(self) -> str:
        return str(_("Limits"))

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.pk = 1
        super().save(*args, **kwargs)

    @classmethod
    def current(cls) -> DispatchLimits:
        """The limits in force now; the defaults are stored at the first call."""
        return cls.objects.get_or_create(pk=1)[0]
