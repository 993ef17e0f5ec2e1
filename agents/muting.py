"""Companies that a person does not want to see again: muting, unmuting, leaving them out."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from agents.models import MutedCompany, ReportedCompany
from listings.models import Company, CompanyStatus
from marketplace.id_arrays import these
from marketplace.models import User


def can_mute(user: User, now: datetime) -> QuerySet[Company]:
    """Companies that a person can have seen: offered ones, and what their mails have shown."""
    shown = ReportedCompany.objects.listed().filter(user=user, company=OuterRef("pk"))
    is_offered = Q(status=CompanyStatus.PUBLISHED, published_at__lte=now)
    return Company.objects.get_queryset().filter(is_offered | Q(Exists(shown)))


def mute_company(user: User, company: Company, now: datetime) -> None:
    """Show it to the person no more, not even in mails that are planned already. Idempotent."""
    MutedCompany.objects.get_or_create(user=user, company=company, defaults={"muted_at": now})


def unmute_company(user: User, company_id: int) -> None:
    """It may be shown again, if it never was, when it is news. Idempotent."""
    MutedCompany.objects.filter(user=user, company=company_id).delete()


def muted_companies(user: User) -> QuerySet[MutedCompany]:
    """What the person has muted, the last first, with the company."""
    mine = MutedCompany.objects.filter(user=user)
    return mine.select_related("company__industry", "company__region").order_by("-pk")


def muted_pairs(user_ids: Collection[int], company_ids: Collection[int]) -> set[tuple[int, int]]:
    """Which of these people have muted which of these companies; one query."""
    rows = MutedCompany.objects.filter(user__in=these(user_ids), company__in=these(company_ids))
    return set(rows.values_list("user_id", "company_id"))


def not_muted_by(user_id: int | None) -> Q:
    """A condition on `Company`: the person has not muted it."""
    return ~Q(Exists(MutedCompany.objects.filter(user=user_id, company=OuterRef("pk"))))
