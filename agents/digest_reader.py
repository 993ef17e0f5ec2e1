"""What the digests of a batch show, as of now: read with a constant number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from agents.models import DigestSection, ReportedCompany, ScheduledMailReport
from agents.muting import muted_pairs
from listings.models import Company
from marketplace.models import User
from notifications.eligibility import ineligibility_of
from notifications.models import Delivery, Reason


@dataclass(slots=True)
class DigestContent:
    """One digest as it can be sent now."""

    delivery: Delivery
    user: User
    sections: list[tuple[DigestSection, list[Company]]] = field(default_factory=list)

    @property
    def companies(self) -> int:
        """How many companies stand in the mail."""
        return sum(len(companies) for _, companies in self.sections)


@dataclass(slots=True)
class DigestBatch:
    """The digests of a batch: what may be sent, and why the rest may not."""

    contents: list[DigestContent] = field(default_factory=list)
    not_wanted: dict[int, str] = field(default_factory=dict)


def read_digests(deliveries: Sequence[Delivery], now: datetime) -> DigestBatch:
    """Ask everything again: who may get mail, which agents are on, which companies are offered.

    What fell away since the plan (withdrawn and muted companies, agents switched off) is taken out
    of the dedup table, so that it may be shown when it comes back.
    """
    users = {user.pk: user for user in User.objects.filter(pk__in=_user_ids(deliveries))}
    barred = ineligibility_of(users.keys(), now)
    ids = [delivery.pk for delivery in deliveries]
    sections, shown = _sections(ids), _shown(ids)
    muted = _muted(shown)
    batch, dropped = DigestBatch(), []
    for delivery in deliveries:
        user = users.get(delivery.user_id or 0)
        if user is None or (reason := _reason_against(delivery, user, barred)):
            batch.not_wanted[delivery.pk] = Reason.ACCOUNT_DELETED if user is None else reason
            continue
        content = DigestContent(delivery, user)
        dropped += _fill(content, sections[delivery.pk], shown[delivery.pk], now, muted)
        if content.companies or _may_be_empty(delivery):
            batch.contents.append(content)
        else:
            batch.not_wanted[delivery.pk] = _reason_for_nothing(sections[delivery.pk])
    ReportedCompany.objects.filter(pk__in=[row.pk for row in dropped]).delete()
    return batch


def _user_ids(deliveries: Iterable[Delivery]) -> list[int]:
    return [delivery.user_id for delivery in deliveries if delivery.user_id is not None]


def _reason_against(delivery: Delivery, user: User, barred: Mapping[int, str]) -> str:
    if reason := barred.get(user.pk, ""):
        return reason
    return "" if user.email == delivery.address else Reason.ADDRESS_CHANGED


def _may_be_empty(delivery: Delivery) -> bool:
    """A welcome is worth sending without companies, a digest is not."""
    return delivery.kind == "welcome"


def _reason_for_nothing(sections: Iterable[DigestSection]) -> str:
    is_any_on = any(_is_on(section.agent) for section in sections)
    return Reason.NOTHING_LEFT if is_any_on else Reason.SWITCHED_OFF


def _is_on(agent: ScheduledMailReport) -> bool:
    return agent.is_active and agent.deleted_at is None


def _sections(delivery_ids: Sequence[int]) -> Mapping[int, list[DigestSection]]:
    by_delivery: dict[int, list[DigestSection]] = defaultdict(list)
    rows = DigestSection.objects.filter(delivery__in=delivery_ids).select_related("agent")
    for section in rows.order_by("pk"):
        by_delivery[section.delivery_id].append(section)
    return by_delivery


def _shown(delivery_ids: Sequence[int]) -> Mapping[int, list[ReportedCompany]]:
    by_delivery: dict[int, list[ReportedCompany]] = defaultdict(list)
    rows = ReportedCompany.objects.filter(delivery__in=delivery_ids)
    # One object a company, however many mails of the batch show it.
    rows = rows.prefetch_related("company__industry", "company__region")
    for row in rows.order_by("-company__fresh_at", "-company_id"):
        by_delivery[row.delivery_id or 0].append(row)
    return by_delivery


def _muted(shown: Mapping[int, list[ReportedCompany]]) -> set[tuple[int, int]]:
    """What its person has muted since it was planned."""
    rows = [row for rows in shown.values() for row in rows]
    return muted_pairs({row.user_id for row in rows}, {row.company_id for row in rows})


def _fill(
    content: DigestContent,
    sections: Sequence[DigestSection],
    rows: Sequence[ReportedCompany],
    now: datetime,
    muted: Collection[tuple[int, int]],
) -> list[ReportedCompany]:
    """Put each company under one agent that is on; answers the rows that fell away."""
    on = {section.agent_id for section in sections if _is_on(section.agent)}
    place: dict[int, ReportedCompany] = {}
    for row in sorted(rows, key=lambda row: not row.is_listed):
        is_muted = (row.user_id, row.company_id) in muted
        if row.agent_id in on and not is_muted and _is_offered(row.company, now):
            place.setdefault(row.company_id, row)
    companies: dict[int, list[Company]] = defaultdict(list)
    for row in rows:
        if (placed := place.get(row.company_id)) is row:
            companies[placed.agent_id].append(row.company)
    for section in sections:
        if section.agent_id in on and (companies[section.agent_id] or section.waiting):
            content.sections.append((section, companies[section.agent_id]))
    return [row for row in rows if row.company_id not in place]


def _is_offered(company: Company, now: datetime) -> bool:
    return company.status == "published" and (
        company.published_at is not None and company.published_at <= now
    )
