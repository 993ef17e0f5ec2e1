"""Companies that people enter by hand: drafted, changed, published, withdrawn, published again.

Every change locks its row and goes through `Company.save`, which decides what counts as news.
Companies of a feed are changed by their feed alone: its next import would undo everything else.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import ngettext

from listings.freshness import FreshReason
from listings.models import Company, CompanyStatus
from marketplace.models import User

MAX_NEW_A_DAY = 20
# Whoever sends the same form twice does so within minutes.
SAME_FORM_WITHIN = timedelta(minutes=10)


class UnableToAddCompany(ValueError):
    """The person has entered as many companies today as one may."""


def add_company(company: Company, now: datetime) -> Company:
    """Store a new company; a published one is news from `now` on, or from its date ahead.

    Its date may lie behind: it was offered elsewhere. Here nobody has seen it, and search agents
    that have told about that day already would never tell of it.
    """
    if company.status == CompanyStatus.PUBLISHED:
        company.published_at = company.published_at or now
        company.fresh_at = max(now, company.published_at)
        company.fresh_reason = FreshReason.PUBLISHED
    company.save()
    return company


def companies_of(seller: User) -> QuerySet[Company]:
    """All companies of a seller, what was changed last first."""
    return Company.objects.get_queryset().filter(seller=seller).order_by("-updated_at", "-pk")


@transaction.atomic
def draft_company(seller: User, values: Mapping[str, Any], now: datetime) -> Company:
    """A new draft of these values; the same form sent twice makes one.

    Raises UnableToAddCompany beyond `MAX_NEW_A_DAY`.
    """
    User.objects.select_for_update(no_key=True, of=("self",)).get(pk=seller.pk)
    entered = Company.objects.get_queryset().filter(seller=seller, source="")
    recent = entered.filter(created_at__gt=now - SAME_FORM_WITHIN, **values)
    if (same := recent.order_by("pk").first()) is not None:
        return same
    if entered.filter(created_at__gt=now - timedelta(days=1)).count() >= MAX_NEW_A_DAY:
        text = ngettext(
            "You have entered %(count)s company today. That is as many as a day allows.",
            "You have entered %(count)s companies today. That is as many as a day allows.",
            MAX_NEW_A_DAY,
        )
        raise UnableToAddCompany(text % {"count": MAX_NEW_A_DAY})
    return add_company(Company(seller=seller, **values), now)


@transaction.atomic
def change_company(seller: User, pk: int, values: Mapping[str, Any]) -> Company | None:
    """Give the seller's own company these values; None where there is none to change."""
    company = _to_change(seller, pk)
    if company is not None:
        for name, value in values.items():
            setattr(company, name, value)
        company.save()
    return company


def publish_company(seller: User, pk: int) -> Company | None:
    """Offer the seller's own company; one that is offered already stays as it is."""
    return _set_status(seller, pk, CompanyStatus.PUBLISHED)


def withdraw_company(seller: User, pk: int) -> Company | None:
    """Take the seller's own company off the market; a draft stays a draft."""
    return _set_status(seller, pk, CompanyStatus.WITHDRAWN)


@transaction.atomic
def _set_status(seller: User, pk: int, status: CompanyStatus) -> Company | None:
    company = _to_change(seller, pk)
    if company is None or company.status == status:
        return company
    if status == CompanyStatus.WITHDRAWN and company.status == CompanyStatus.DRAFT:
        return company
    company.status = status
    company.save(update_fields=["status", "updated_at"])
    return company


def _to_change(seller: User, pk: int) -> Company | None:
    own = companies_of(seller).filter(pk=pk, source="")
    return own.select_for_update(of=("self",)).first()
