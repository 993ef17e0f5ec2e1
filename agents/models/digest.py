"""What an agent has shown (the dedup table), and what each digest said for each agent."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from agents.models.agent import ScheduledMailReport
from listings.models import Company
from notifications.models import Delivery


class ReportedCompanyQuerySet(models.QuerySet["ReportedCompany"]):
    """Queries on what was shown."""

    def listed(self) -> Self:
        """A row for each company that a person has been shown.

        A row that only counts stands beside a listed one, in the same mail: the listed ones say
        it all, and they are the ones with an index by person.
        """
        return self.filter(is_listed=True)


class ReportedCompany(models.Model):
    """An agent has shown a company to its person, in one delivery.

    A company that several agents of a person match stands in one section of one mail
    (`is_listed`) and counts as shown by all of them. The database itself allows one listed
    mention a person and company. One foreign key covers agent and person together (migration
    0005): it proves that the person is the agent's, and costs one check a row instead of two.
    The company has none: two chunks of a run that lock the same companies at once cost more than
    storing the rows, a company that is deleted takes its mentions along, and one that was left
    over would be a mention of nothing, as numbers are never used again.
    The delivery has none either: the ledger is pruned, the memory of what was shown stays, and a
    number whose row is gone says the same as no number.
    """

    agent = models.ForeignKey(
        ScheduledMailReport,
        on_delete=models.RESTRICT,
        related_name="reported",
        db_index=False,
        db_constraint=False,
        verbose_name=_("search agent"),
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="+",
        db_index=False,
        db_constraint=False,
        verbose_name=_("person"),
    )
    company = models.ForeignKey(
        Company,
        on_delete=models.CASCADE,
        related_name="+",
        db_constraint=False,
        verbose_name=_("company"),
    )
    delivery = models.ForeignKey(
        Delivery,
        on_delete=models.SET_NULL,
        null=True,
        related_name="reported",
        db_constraint=False,
        verbose_name=_("delivery"),
    )
    is_listed = models.BooleanField(_("stood in this agent's section"), default=True)
    reported_at = models.DateTimeField(_("shown"))

    objects = ReportedCompanyQuerySet.as_manager()

    class Meta:
        verbose_name = _("company shown")
        verbose_name_plural = _("companies shown")
        constraints = [
            models.UniqueConstraint(fields=["agent", "company"], name="reported_once_per_agent"),
            models.UniqueConstraint(
                fields=["user", "company"],
                condition=Q(is_listed=True),
                name="reported_once_per_person",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.agent_id} → {self.company_id}"


class DigestSection(models.Model):
    """An agent's part of a digest: the criteria of that day, and the window that is still open.

    `waiting` companies matched but did not fit: those published in
    `[waiting_from, waiting_until]` that this person has not been shown.
    """

    # Its index is the unique one below.
    delivery = models.ForeignKey(
        Delivery, on_delete=models.CASCADE, related_name="sections", db_index=False
    )
    agent = models.ForeignKey(
        ScheduledMailReport, on_delete=models.CASCADE, related_name="sections"
    )
    criteria = models.JSONField(_("criteria"))
    former_criteria = models.JSONField(_("criteria before the last edits"), default=list)
    frequency = models.CharField(_("frequency"), max_length=7)
    window_from = models.DateTimeField(_("looked at news since"))
    waiting = models.PositiveIntegerField(_("companies left for later mails"), default=0)
    waiting_from = models.DateTimeField(_("oldest of them"), null=True)
    waiting_until = models.DateTimeField(_("newest of them"), null=True)

    class Meta:
        verbose_name = _("section of a digest")
        verbose_name_plural = _("sections of digests")
        constraints = [
            models.UniqueConstraint(fields=["delivery", "agent"], name="section_once_per_digest")
        ]

    def __str__(self) -> str:
        return f"{self.delivery_id}: {self.agent_id}"
