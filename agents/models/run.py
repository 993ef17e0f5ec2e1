"""One firing of a tier, with what it counted."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from agents.frequency import Frequency
from notifications.moments import microseconds_of


class ReportRun(models.Model):
    """A firing of one tier at one occurrence; a second firing of the same occurrence joins it.

    `is_for_one_agent`: an operator asked for a single agent, and the rest of the tier had no part.
    """

    frequency = models.CharField(_("frequency"), max_length=7, choices=Frequency.choices)
    occurrence = models.DateTimeField(_("firing"))
    is_for_one_agent = models.BooleanField(
        _("for one search agent only"), default=False, db_default=False
    )
    cutoff = models.DateTimeField(_("looks at news before"))
    started_at = models.DateTimeField(_("started"))
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)
    due = models.PositiveIntegerField(_("people due"), default=0)
    eligible = models.PositiveIntegerField(_("of them eligible"), default=0)
    matched = models.PositiveIntegerField(_("new hits"), default=0)
    duplicates = models.PositiveIntegerField(_("duplicates removed"), default=0)
    digests = models.PositiveIntegerField(_("mails planned"), default=0)
    reported = models.PositiveIntegerField(_("companies in them"), default=0)
    waiting = models.PositiveIntegerField(_("companies left for later mails"), default=0)
    deferred = models.PositiveIntegerField(_("people deferred to the next firing"), default=0)

    class Meta:
        verbose_name = _("report run")
        verbose_name_plural = _("report runs")
        ordering = ["-occurrence", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["frequency", "occurrence"], name="run_unique_per_occurrence"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_frequency_display()} {self.occurrence:%Y-%m-%d %H:%M}"

    @property
    def name(self) -> str:
        """Names this run and no other, ever: ids are given again after a restored backup."""
        return f"{self.pk}.{microseconds_of(self.started_at)}"

    @property
    def duplicate_share(self) -> float:
        """Duplicates as a share of all hits, 0.0 to 1.0."""
        return self.duplicates / self.matched if self.matched else 0.0
