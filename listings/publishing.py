"""A company that somebody enters by hand."""

from __future__ import annotations

from datetime import datetime

from listings.freshness import FreshReason
from listings.models import Company, CompanyStatus


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
