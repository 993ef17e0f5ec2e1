"""What waits: the companies an agent has for its next mail, and those a digest could not hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from django.db.models import BigIntegerField, Exists, OuterRef, Q, QuerySet, Value
from django.utils import timezone

from agents.former_criteria import asked_at_the_time
from agents.models import DigestSection, ReportedCompany, ScheduledMailReport
from agents.muting import not_muted_by
from listings.criteria import Criteria
from listings.keywords import Lexemes, lexemes_of
from listings.models import Company
from notifications.models import DispatchLimits

COUNTED_UP_TO = 99
"""What an agent has waiting is counted so far; one more says "more than that"."""


def companies_waiting(section: DigestSection) -> QuerySet[Company]:
    """Exactly those the mail counted as waiting for this agent, newest first.

    They matched the criteria of that day, and up to and including that mail the person had not
    been shown them; whether a later mail has brought them does not matter. Withdrawn ones are
    gone, and those that the person has muted.
    """
    if not section.waiting:
        return Company.objects.none()
    shown_by_then = ReportedCompany.objects.listed().filter(
        Q(delivery__lte=section.delivery_id) | Q(delivery=None),
        user=section.delivery.user_id,
        company=OuterRef("pk"),
    )
    return (
        Company.objects.published(timezone.now())
        .filter(
            Criteria.from_json(section.criteria).q(),
            asked_at_the_time(section.former_criteria),
            ~Exists(shown_by_then),
            not_muted_by(section.delivery.user_id),
            fresh_at__gte=section.waiting_from,
            fresh_at__lte=section.waiting_until,
        )
        .select_related("industry", "region")
        .newest_first()
    )


def waiting_hits(agents: Iterable[ScheduledMailReport], now: datetime) -> dict[int, int]:
    """How many companies each of these agents that is on has for its next mail, by its id.

    At most one more than `COUNTED_UP_TO`; none are left out. As a run would find them now, but for
    what another agent's mail shows first. Three queries, however many agents.
    """
    watching = [agent for agent in agents if agent.is_active]
    if not watching:
        return {}
    limits, lexemes = DispatchLimits.current(), lexemes_of(_keywords_of(watching))
    first, *others = [_hits(agent, limits, lexemes, now) for agent in watching]
    return dict(Counter(first.union(*others, all=True) if others else first))


def _keywords_of(agents: Sequence[ScheduledMailReport]) -> set[str]:
    former = [entry["criteria"]["keywords"] for agent in agents for entry in agent.former_criteria]
    return {agent.keywords for agent in agents} | set(former)


def _hits(
    agent: ScheduledMailReport,
    limits: DispatchLimits,
    lexemes: Mapping[str, Lexemes],
    now: datetime,
) -> QuerySet[Company, int]:
    """The agent's id once for each company that it has for its next mail."""
    agent_id = Value(agent.pk, output_field=BigIntegerField())
    news = companies_for_next_mail(agent, limits, now, lexemes).order_by()
    hits = news.annotate(found_by=agent_id).values_list("found_by", flat=True)
    return hits[: COUNTED_UP_TO + 1]


def companies_for_next_mail(
    agent: ScheduledMailReport,
    limits: DispatchLimits,
    now: datetime,
    lexemes: Mapping[str, Lexemes] | None = None,
) -> QuerySet[Company]:
    """The companies of the agent's window that it has not shown; `lexemes` as `Criteria.q`."""
    grace = timedelta(seconds=limits.late_commit_grace_seconds)
    oldest = now - timedelta(days=limits.max_listing_age_days)
    shown = ReportedCompany.objects.listed().filter(user=agent.user_id, company=OuterRef("pk"))
    return Company.objects.published(now).filter(
        agent.criteria.q(lexemes),
        asked_at_the_time(agent.former_criteria, lexemes),
        ~Exists(shown),
        not_muted_by(agent.user_id),
        fresh_at__gte=max(agent.matched_until - grace, agent.watching_since, oldest),
        fresh_at__lt=now,
    )
