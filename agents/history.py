"""What a person's agents have mailed: each mail, when, which companies, what became of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import QuerySet

from agents.mail_states import MailState, state_of
from agents.models import DigestSection, MutedCompany, ReportedCompany, ScheduledMailReport
from listings.criteria import Criteria
from listings.models import Company, Industry, Region
from listings.wording import criteria_in_words, load_names
from marketplace.models import User
from notifications.models import Delivery, DeliveryEvent

PAGE_SIZE = 10
KINDS = ("digest", "welcome")


@dataclass(slots=True)
class Part:
    """An agent's part of a mail, with the criteria of that day."""

    section: DigestSection
    criteria: str
    companies: list[Company]


@dataclass(slots=True)
class PastMail:
    """One mail of the history."""

    delivery: Delivery
    state: MailState
    parts: list[Part] = field(default_factory=list)

    @property
    def at(self) -> datetime:
        """When it was sent, or else planned."""
        return self.delivery.finished_at or self.delivery.created_at


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Mails, newest first; `older` is the cursor of the next page, '' at the end."""

    mails: list[PastMail]
    muted: set[int]
    older: str


def history_of(
    user: User, language: str, agent: ScheduledMailReport | None = None, before: str = ""
) -> HistoryPage:
    """A page of the person's mails, or of those of one agent, older than the cursor `before`.

    A cursor that cannot be read counts as none. Queries: six and the names of new criteria,
    whatever the number of mails and companies.
    """
    rows = list(_mails(user, agent, before)[: PAGE_SIZE + 1])
    deliveries = rows[:PAGE_SIZE]
    ids = [delivery.pk for delivery in deliveries]
    events, companies = _events(ids), _companies(ids, agent)
    mails = {row.pk: PastMail(row, state_of(row, events[row.pk])) for row in deliveries}
    for section in _sections(ids, agent):
        words = criteria_in_words(Criteria.from_json(section.criteria), language)
        shown = companies[section.delivery_id, section.agent_id]
        mails[section.delivery_id].parts.append(Part(section, words, shown))
    shown_ids = {company.pk for listed in companies.values() for company in listed}
    muted = MutedCompany.objects.filter(user=user, company__in=shown_ids)
    return HistoryPage(
        list(mails.values()),
        set(muted.values_list("company", flat=True)),
        older=str(deliveries[-1].pk) if len(rows) > PAGE_SIZE else "",
    )


def _mails(user: User, agent: ScheduledMailReport | None, before: str) -> QuerySet[Delivery]:
    mails = Delivery.objects.filter(user=user, kind__in=KINDS).order_by("-pk")
    if agent is not None:
        mails = mails.filter(pk__in=agent.sections.order_by().values("delivery"))
    if before.isascii() and before.isdecimal() and len(before) <= 18:
        mails = mails.filter(pk__lt=int(before))
    return mails


def _sections(ids: Collection[int], agent: ScheduledMailReport | None) -> Sequence[DigestSection]:
    rows = DigestSection.objects.filter(delivery__in=ids).select_related("agent")
    if agent is not None:
        rows = rows.filter(agent=agent)
    sections = list(rows.order_by("pk"))
    for model, name in ((Industry, "industries"), (Region, "regions")):
        codes = {code for section in sections for code in section.criteria.get(name, ())}
        load_names(model, codes)
    return sections


def _companies(
    ids: Collection[int], agent: ScheduledMailReport | None
) -> dict[tuple[int, int], list[Company]]:
    """The companies by mail and agent, newest first.

    An agent's own history also has those that stood in another agent's section of the same mail.
    """
    rows = ReportedCompany.objects.filter(delivery__in=ids)
    rows = rows.listed() if agent is None else rows.filter(agent=agent)
    shown: dict[tuple[int, int], list[Company]] = defaultdict(list)
    for row in rows.select_related("company").order_by("-company__fresh_at", "-company_id"):
        shown[row.delivery_id or 0, row.agent_id].append(row.company)
    return shown


def _events(ids: Collection[int]) -> dict[int, set[str]]:
    kinds: dict[int, set[str]] = defaultdict(set)
    events = DeliveryEvent.objects.filter(delivery__in=ids).order_by()
    for delivery_id, kind in events.values_list("delivery", "kind").distinct():
        kinds[delivery_id or 0].add(kind)
    return kinds
