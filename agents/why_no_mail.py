"""Why did this person get no mail? Every test with its result, and what each agent did last.

Who may get mail is asked of `notifications.eligibility`, which the planner and the sender ask too;
here each of its tests only gets the words and the moment it rests on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from allauth.account.models import EmailAddress
from django.db.models import F, Max, Model, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Lower
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext

from agents.mail_states import state_of
from agents.models import DigestSection, Outcome, ScheduledMailReport
from marketplace.models import Suspension, User
from notifications.eligibility import reasons_against
from notifications.models import Delivery, Reason, SpamReport, State, Suppression

Row = TypeVar("Row", bound=Model)
AGENTS_ON = "agents_on"
Found = tuple[str, datetime | None]
"""A result in words, and the moment it rests on."""


@dataclass(frozen=True, slots=True)
class Test:
    """One test. `name` is for programs, `question` and `result` are for people."""

    __test__ = False  # no test of pytest's

    name: str
    question: str
    passed: bool
    result: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class AgentReport:
    """What an agent did last, and what it does next. `mail` is the last mail it stood in."""

    agent: ScheduledMailReport
    is_due: bool
    decision: str
    mail: Delivery | None
    mail_state: str
    waiting: int
    """Companies that the last mail had no room for."""


@dataclass(frozen=True, slots=True)
class WhyNoMail:
    """The whole answer for one person."""

    user: User
    tests: Sequence[Test]
    agents: Sequence[AgentReport]
    last_sent_at: datetime | None

    @property
    def may_get_mail(self) -> bool:
        """Whether every test of who may get mail is passed, whatever agents there are."""
        return all(test.passed for test in self.tests if test.name != AGENTS_ON)


def find_person(text: str) -> User | None:
    """The person with this address, in any letter case, or with this id."""
    text = text.strip()
    if text.isascii() and text.isdecimal():
        return User.objects.filter(pk=int(text)).first() if len(text) <= 18 else None
    return _first(User.objects.all(), text) if text and "\0" not in text else None


def why_no_mail(user: User, now: datetime) -> WhyNoMail:
    """Every reason, passed or not, as of `now`. Nine queries, whatever the number of agents."""
    sent = Delivery.objects.filter(user=user, state=State.SENT)
    agents = _agents_of(user, now)
    tests = [
        _test(reason, bars, user, now) for reason, bars in reasons_against(user.pk, now).items()
    ]
    return WhyNoMail(
        user, [*tests, _agents_on(agents)], agents, sent.aggregate(at=Max("finished_at"))["at"]
    )


def _test(reason: Reason, bars: bool, user: User, now: datetime) -> Test:
    question, find = _TESTS[reason]
    return Test(reason.value, str(question), not bars, *find(user, bars, now))


def _activity(user: User, bars: bool, now: datetime) -> Found:
    if bars:
        return _("The account is switched off."), None
    return _("The account has been there since this time."), user.date_joined


def _address(user: User, bars: bool, now: datetime) -> Found:
    return (_("There is no address."), None) if bars else (user.email, None)


def _confirmation(user: User, bars: bool, now: datetime) -> Found:
    if not bars:
        return _("Confirmed. When is not kept."), None
    if EmailAddress.objects.filter(user=user, verified=True).exists():
        return _("Another address of this person is confirmed, this one is not."), None
    return _("The link in the confirmation mail was not used yet."), None


def _suspension(user: User, bars: bool, now: datetime) -> Found:
    if not bars:
        return _("No suspension is in force."), None
    in_force = Suspension.objects.in_force(now).filter(user=user)
    last = in_force.order_by(F("ends_at").desc(nulls_first=True)).first()
    if last is None:  # it was lifted a moment ago
        return _("No suspension is in force."), None
    words = {"reason": last.reason, "until": last.ends_at and f"{last.ends_at:%Y-%m-%d %H:%M %Z}"}
    if last.ends_at is None:
        return _("Suspended without an end: %(reason)s") % words, last.starts_at
    return _("Suspended until %(until)s: %(reason)s") % words, last.starts_at


def _spam(user: User, bars: bool, now: datetime) -> Found:
    report = _first(SpamReport.objects.all(), user.email) if bars else None
    if report is None:
        return _("No spam report."), None
    return _("Reported as spam (by %(source)s).") % {"source": report.source}, report.reported_at


def _suppression(user: User, bars: bool, now: datetime) -> Found:
    row = _first(Suppression.objects.all(), user.email) if bars else None
    if row is None:
        return _("The address is not on the list of barred addresses."), None
    words = {"cause": row.get_cause_display(), "note": row.note}
    text = _("Barred: %(cause)s (%(note)s)") if row.note else _("Barred: %(cause)s")
    return text % words, row.created_at


def _first(rows: QuerySet[Row], email: str) -> Row | None:
    """The first row of this address, in any letter case."""
    same = rows.annotate(address=Lower("email")).filter(address=Lower(Value(email)))
    return same.order_by("pk").first()


_TESTS: dict[Reason, tuple[Any, Callable[[User, bool, datetime], Found]]] = {
    Reason.INACTIVE: (_lazy("Is the account active?"), _activity),
    Reason.NO_ADDRESS: (_lazy("Is there an e-mail address?"), _address),
    Reason.UNVERIFIED: (_lazy("Is this very address confirmed?"), _confirmation),
    Reason.SUSPENDED: (_lazy("Is the account free of suspensions?"), _suspension),
    Reason.SPAM_REPORTED: (_lazy("Has nobody at this address reported spam?"), _spam),
    Reason.SUPPRESSED: (_lazy("May this address be written to?"), _suppression),
}


def _agents_on(agents: Sequence[AgentReport]) -> Test:
    on = [report.agent for report in agents if report.agent.is_active]
    if on:
        result = ngettext(
            "%(count)d search agent is switched on.",
            "%(count)d search agents are switched on.",
            len(on),
        ) % {"count": len(on)}
    elif agents:
        result = _("Every search agent is switched off, here or by a link in a mail.")
    else:
        result = _("There is no search agent.")
    return Test(AGENTS_ON, _("Is a search agent switched on?"), bool(on), result, None)


def _agents_of(user: User, now: datetime) -> list[AgentReport]:
    """The kept agents with the last mail each of them stood in. Two or three queries."""
    last = DigestSection.objects.filter(agent=OuterRef("pk")).order_by("-delivery_id")
    agents = list(
        ScheduledMailReport.objects.kept()
        .filter(user=user)
        .annotate(mail_id=Subquery(last.values("delivery_id")[:1]))
        .annotate(left=Subquery(last.values("waiting")[:1]))
        .order_by("pk")
    )
    mails = Delivery.objects.in_bulk([agent.mail_id for agent in agents if agent.mail_id])
    return [_report(agent, mails.get(agent.mail_id), now) for agent in agents]


def _report(agent: ScheduledMailReport, mail: Delivery | None, now: datetime) -> AgentReport:
    return AgentReport(
        agent,
        is_due=agent.is_active and agent.next_run_at <= now,
        decision=_decision(agent),
        mail=mail,
        mail_state=state_of(mail, ()).words if mail else "",
        waiting=getattr(agent, "left", None) or 0,
    )


def _decision(agent: ScheduledMailReport) -> str:
    told = Outcome(agent.last_outcome).label
    if agent.last_reason in Reason.values:
        return f"{told}: {Reason(agent.last_reason).label}"
    return str(told)
