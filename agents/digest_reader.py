"""What the digests of a batch show, as of now: read with a constant number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from django.db.models import TextField
from django.db.models.functions import Cast

from agents.models import DigestSection, ReportedCompany
from agents.muting import muted_pairs
from listings.models import Company, CompanyStatus
from marketplace.id_arrays import these
from marketplace.models import User
from notifications.eligibility import ineligibility_of
from notifications.models import Delivery, Reason


@dataclass(slots=True)
class Person:
    """Who gets the mail, and in which language."""

    pk: int
    email: str
    name: str
    language: str


class Section(NamedTuple):
    """An agent's part of a mail; `criteria` as the database writes JSON."""

    pk: int
    delivery_id: int
    agent_id: int
    agent_name: str
    is_active: bool
    deleted_at: datetime | None
    frequency: str
    waiting: int
    criteria: str

    @property
    def is_on(self) -> bool:
        """Whether the agent still looks for companies."""
        return self.is_active and self.deleted_at is None


# Without the criteria.
SECTION_COLUMNS = (
    *("pk", "delivery_id", "agent_id", "agent__name", "agent__is_active"),
    *("agent__deleted_at", "frequency", "waiting"),
)


class Shown(NamedTuple):
    """A row of the dedup table: this mail is to show this company for this agent."""

    pk: int
    delivery_id: int
    user_id: int
    agent_id: int
    company_id: int
    is_listed: bool


@dataclass(slots=True)
class DigestContent:
    """One digest as it can be sent now."""

    delivery: Delivery
    user: Person
    sections: list[tuple[Section, list[Company]]] = field(default_factory=list)

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
    people = _people(deliveries)
    barred = ineligibility_of(people.keys(), now)
    ids = [delivery.pk for delivery in deliveries]
    sections, shown = _sections(ids), _shown(ids)
    company_ids = {row.company_id for rows in shown.values() for row in rows}
    offered, muted = _offered(company_ids, now), muted_pairs(people.keys(), company_ids)
    batch, dropped = DigestBatch(), []
    for delivery in deliveries:
        person = people.get(delivery.user_id or 0)
        if person is None or (reason := _reason_against(delivery, person, barred)):
            batch.not_wanted[delivery.pk] = Reason.ACCOUNT_DELETED if person is None else reason
            continue
        content = DigestContent(delivery, person)
        dropped += _fill(content, sections[delivery.pk], shown[delivery.pk], offered, muted)
        if content.companies or _may_be_empty(delivery):
            batch.contents.append(content)
        else:
            batch.not_wanted[delivery.pk] = _reason_for_nothing(sections[delivery.pk])
    ReportedCompany.objects.filter(pk__in=[row.pk for row in dropped]).delete()
    return batch


def _people(deliveries: Iterable[Delivery]) -> dict[int, Person]:
    ids = [delivery.user_id for delivery in deliveries if delivery.user_id is not None]
    rows = User.objects.filter(pk__in=these(ids)).values_list("pk", "email", "name", "language")
    return {row[0]: Person(*row) for row in rows}


def _reason_against(delivery: Delivery, person: Person, barred: Mapping[int, str]) -> str:
    if reason := barred.get(person.pk, ""):
        return reason
    return "" if person.email == delivery.address else Reason.ADDRESS_CHANGED


def _may_be_empty(delivery: Delivery) -> bool:
    """A welcome is worth sending without companies, a digest is not."""
    return delivery.kind == "welcome"


def _reason_for_nothing(sections: Iterable[Section]) -> str:
    return (
        Reason.NOTHING_LEFT if any(section.is_on for section in sections) else Reason.SWITCHED_OFF
    )


def _sections(delivery_ids: Sequence[int]) -> Mapping[int, list[Section]]:
    by_delivery: dict[int, list[Section]] = defaultdict(list)
    rows = DigestSection.objects.filter(delivery__in=delivery_ids).order_by("pk")
    for row in rows.values_list(*SECTION_COLUMNS, Cast("criteria", TextField())):
        section = Section(*row)
        by_delivery[section.delivery_id].append(section)
    return by_delivery


def _shown(delivery_ids: Sequence[int]) -> Mapping[int, list[Shown]]:
    by_delivery: dict[int, list[Shown]] = defaultdict(list)
    rows = ReportedCompany.objects.filter(delivery__in=delivery_ids)
    for row in rows.values_list(*Shown._fields):
        shown = Shown(*row)
        by_delivery[shown.delivery_id].append(shown)
    return by_delivery


def _offered(company_ids: Collection[int], now: datetime) -> dict[int, Company]:
    """Those of the companies that are on offer; one object each, however many mails show it."""
    published = Company.objects.filter(
        pk__in=these(company_ids), status=CompanyStatus.PUBLISHED, published_at__lte=now
    )
    return {company.pk: company for company in published.select_related("industry", "region")}


def _fill(
    content: DigestContent,
    sections: Sequence[Section],
    rows: Sequence[Shown],
    offered: Mapping[int, Company],
    muted: Collection[tuple[int, int]],
) -> list[Shown]:
    """Put each company under one agent that is on; answers the rows that fell away."""
    on = {section.agent_id for section in sections if section.is_on}
    place: dict[int, Shown] = {}
    for row in sorted(rows, key=lambda row: not row.is_listed):
        is_muted = (row.user_id, row.company_id) in muted
        if row.agent_id in on and not is_muted and row.company_id in offered:
            place.setdefault(row.company_id, row)
    companies: dict[int, list[Company]] = defaultdict(list)
    for company_id in sorted(place, key=lambda pk: _freshness(offered[pk]), reverse=True):
        companies[place[company_id].agent_id].append(offered[company_id])
    for section in sections:
        if section.agent_id in on and (companies[section.agent_id] or section.waiting):
            content.sections.append((section, companies[section.agent_id]))
    return [row for row in rows if row.company_id not in place]


def _freshness(company: Company) -> tuple[datetime | None, int]:
    """The order in which companies stand in a mail; one on offer has a time."""
    return company.fresh_at, company.pk
