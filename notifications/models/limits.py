"""Every tunable of planning and sending, in one row, read afresh by each run and batch."""

from __future__ import annotations

import uuid
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
    "account_share_percent": (0, 90),
    "breaker_failures": (1, 1000),
    "breaker_pause_seconds": (1, 86_400),
    "sent_mark_days": (1, 400),
    "uncertain_grace_minutes": (1, 10_080),
    "retention_days": (7, 3650),
}


class UncertainPolicy(models.TextChoices):
    """What becomes of a delivery whose outcome no event has told in time."""

    EVIDENCE = "evidence", _("send again only where events prove that it was not accepted")
    ASSUME_SENT = "assume_sent", _("count it as sent")
    RESEND = "resend", _("send again, at the risk of a second mail")


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
    account_share_percent = _whole(
        _("share kept for account mails (percent)"),
        10,
        *BOUNDS["account_share_percent"],
        _(
            "This share of a provider's quota is kept free for confirmations and resets: other "
            "mail never uses it."
        ),
    )
    breaker_failures = _whole(
        _("failures before a provider rests"),
        5,
        *BOUNDS["breaker_failures"],
        _("After this many failed connections in a row nobody asks the provider for a while."),
    )
    breaker_pause_seconds = _whole(
        _("rest after failures (seconds)"),
        30,
        *BOUNDS["breaker_pause_seconds"],
        _("How long a provider rests before one message tries whether it answers again."),
    )
    sent_mark_days = _whole(
        _("sent marks are kept (days)"),
        90,
        *BOUNDS["sent_mark_days"],
        _(
            "Redis remembers for this long that a message was sent. It guards against a second "
            "sending even if the database was restored from a backup."
        ),
    )
    uncertain_grace_minutes = _whole(
        _("grace for uncertain deliveries (minutes)"),
        60,
        *BOUNDS["uncertain_grace_minutes"],
        _("An uncertain delivery waits this long for the provider's events."),
    )
    uncertain_policy = models.CharField(
        _("then"),
        max_length=11,
        choices=UncertainPolicy.choices,
        default=UncertainPolicy.EVIDENCE,
        help_text=_(
            "Evidence: where events of other messages of that time arrive, silence means that it "
            "was not accepted, and it is sent again; where none arrive, it counts as sent."
        ),
    )
    retention_days = _whole(
        _("ended deliveries are kept (days)"),
        400,
        *BOUNDS["retention_days"],
        _("Older ones are removed by the prune command."),
    )
    # Sent marks of another database, left in the same Redis, must not count for this one.
    installation = models.UUIDField(default=uuid.uuid4, editable=False)
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
