"""The baseline: one agent after the other, as the source document describes it.

Its queries, its order, its writes: the new companies of one agent, minus what it has shown, first
`max_companies`; note them; move the agent on. Without its pause between mails, and with a mailer
that costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from agents.models import ReportedCompany, ScheduledMailReport
from listings.models import Company
from notifications.eligibility import eligible

MAX_MAILS_PER_RUN = 10_000_000


def send_scheduled_reports(
    frequency: str, now: datetime, max_companies: int, only: Iterable[int] | None = None
) -> tuple[int, int]:
    """Fire a tier the naive way; mails sent and companies noted. `only` limits the agents."""
    agents = ScheduledMailReport.objects.filter(
        frequency=frequency, is_active=True, user__in=eligible(now)
    ).select_related("user")
    if only is not None:
        agents = agents.filter(pk__in=list(only))
    mails = rows = 0
    for agent in agents:
        if mails >= MAX_MAILS_PER_RUN:
            break
        new_companies = (
            Company.objects.published(now)
            .filter(agent.criteria.q())
            .filter(fresh_at__gte=agent.last_run_at)
            .exclude(pk__in=agent.companies_reported.all())[:max_companies]
        )
        if new_companies.exists():
            found = list(new_companies)
            _note(agent, found, now)
            agent.last_run_at = now
            agent.save(update_fields=["last_run_at"])
            mails += 1
            rows += len(found)
    return mails, rows


def _note(agent: ScheduledMailReport, companies: list[Company], now: datetime) -> None:
    """`agent.companies_reported.add(*companies)`, with the columns our through table needs."""
    ReportedCompany.objects.bulk_create(
        [
            ReportedCompany(
                agent=agent, user_id=agent.user_id, company=company,
                # Two agents may show the same company here: nothing keeps them apart.
                is_listed=False, reported_at=now,
            )
            for company in companies
        ],
        ignore_conflicts=True,
    )  # fmt: skip
