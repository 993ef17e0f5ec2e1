"""The search agent: who wants what, how often, and how far it has been told."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from agents.frequency import Frequency
from listings.criteria import Criteria
from listings.models import Company


class Outcome(models.TextChoices):
    """What the last run did for an agent; with `last_reason` the answer to "why no mail?"."""

    NEW = "new", _("has not run yet")
    MAILED = "mailed", _("a mail was planned")
    NOTHING_NEW = "nothing_new", _("there was nothing new")
    DEFERRED = "deferred", _("moved to the next firing by the limit of mails per run")
    NOT_ELIGIBLE = "not_eligible", _("the person may not get mail")


class AgentQuerySet(models.QuerySet["ScheduledMailReport"]):
    def kept(self) -> Self:
        """Agents that their person has not deleted."""
        return self.filter(deleted_at=None)

    def due(self, frequency: str, at: datetime) -> Self:
        """Active agents of a tier whose time has come."""
        return self.kept().filter(frequency=frequency, is_active=True, next_run_at__lte=at)

    def to_plan(self, frequency: str, at: datetime, agent_id: int | None = None) -> Self:
        """Who is due; or this agent alone, whether its time has come or not."""
        if agent_id is None:
            return self.due(frequency, at)
        return self.kept().filter(pk=agent_id, frequency=frequency, is_active=True)


class ScheduledMailReport(models.Model):
    """A saved search that mails its person what is new.

    The window of a run is `[max(matched_until - grace, watching_since), cutoff)`.
    A deleted agent stays as a row (`deleted_at`): what it has shown must not be shown again. It
    sends nothing, whatever `is_active` says, which a deletion leaves alone.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="agents",
        db_index=False,
        verbose_name=_("person"),
    )
    name = models.CharField(_("name"), max_length=100)
    industries = ArrayField(
        models.CharField(max_length=10), verbose_name=_("industries"), default=list, blank=True
    )
    regions = ArrayField(
        models.CharField(max_length=10), verbose_name=_("regions"), default=list, blank=True
    )
    price_min = models.DecimalField(
        _("lowest price (EUR)"), max_digits=14, decimal_places=2, null=True, blank=True
    )
    price_max = models.DecimalField(
        _("highest price (EUR)"), max_digits=14, decimal_places=2, null=True, blank=True
    )
    keywords = models.CharField(_("keywords"), max_length=200, blank=True)
    include_on_request = models.BooleanField(_("also prices on request"), default=True)
    frequency = models.CharField(
        _("frequency"), max_length=7, choices=Frequency.choices, default=Frequency.WEEKLY
    )
    is_active = models.BooleanField(_("switched on"), default=True)
    is_default = models.BooleanField(_("made at sign-up"), default=False, editable=False)
    companies_reported = models.ManyToManyField(
        Company,
        through="agents.ReportedCompany",
        related_name="+",
        verbose_name=_("companies shown"),
    )
    watching_since = models.DateTimeField(_("watching since"), default=timezone.now)
    matched_until = models.DateTimeField(_("told until"), default=timezone.now)
    former_criteria = models.JSONField(
        _("criteria before the last edits"), default=list, blank=True, editable=False
    )
    last_run_at = models.DateTimeField(_("last run"), null=True, blank=True)
    next_run_at = models.DateTimeField(_("next run"))
    last_outcome = models.CharField(
        _("last outcome"), max_length=12, choices=Outcome.choices, default=Outcome.NEW
    )
    last_reason = models.CharField(_("reason"), max_length=20, blank=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    deleted_at = models.DateTimeField(_("deleted"), null=True, blank=True)

    objects = AgentQuerySet.as_manager()

    class Meta:
        verbose_name = _("search agent")
        verbose_name_plural = _("search agents")
        indexes = [
            models.Index(
                fields=["frequency", "next_run_at", "user"],
                condition=Q(is_active=True, deleted_at=None),
                name="agent_due",
            ),
        ]
        constraints = [
            # What a foreign key to an agent and its person needs to point at; the person first,
            # so that it serves as the person's index too.
            models.UniqueConstraint(fields=["user", "id"], name="agent_and_person"),
            models.CheckConstraint(
                condition=Q(frequency__in=Frequency.values), name="agent_frequency_known"
            ),
            models.CheckConstraint(
                condition=Q(price_min=None) | Q(price_max=None) | Q(price_min__lte=F("price_max")),
                name="agent_price_range_ordered",
                violation_error_message=_("The highest price must not be below the lowest."),
            ),
            models.UniqueConstraint(
                fields=["user"], condition=Q(is_default=True), name="agent_one_default_per_user"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def criteria(self) -> Criteria:
        """The stored search as a value."""
        return Criteria(
            industries=tuple(self.industries),
            regions=tuple(self.regions),
            price_min=self.price_min,
            price_max=self.price_max,
            keywords=self.keywords,
            include_on_request=self.include_on_request,
        )

    @criteria.setter
    def criteria(self, criteria: Criteria) -> None:
        self.industries, self.regions = list(criteria.industries), list(criteria.regions)
        self.price_min, self.price_max = criteria.price_min, criteria.price_max
        self.keywords, self.include_on_request = criteria.keywords, criteria.include_on_request
