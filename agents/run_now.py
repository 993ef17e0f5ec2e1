"""One agent, run by an operator: what a run would mail, and the run itself.

It is a report run like any other, of this agent alone: who may get mail, what was shown before and
the limits hold as ever, and the agent's own next time stays where it was.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.core import signing
from django.utils.translation import gettext as _

from agents.matching import WindowIndex
from agents.models import Outcome, ScheduledMailReport
from agents.plan_writer import ChunkPlan
from agents.planner_lock import UnableToPlan
from agents.runs import OneAgent, RunResult, run_reports
from listings.models import Company
from notifications.models import Reason

SALT = "agents.run_now"
VALID_FOR = timedelta(hours=1)


class UnableToRun(ValueError):
    """The agent cannot run now; the text says why."""


@dataclass(slots=True)
class RunPreview:
    """What a run now would do: its outcome, and the companies, newest first."""

    outcome: Outcome = Outcome.NOTHING_NEW
    reason: str = ""
    companies: list[Company] = field(default_factory=list)
    waiting: int = 0
    """Companies that do not fit and are left for later mails."""

    @property
    def words(self) -> str:
        """The outcome, with the reason where there is one."""
        told = str(self.outcome.label)
        return f"{told}: {Reason(self.reason).label}" if self.reason else told


def preview_run(agent: ScheduledMailReport, now: datetime) -> RunPreview:
    """What a run at `now` would mail; writes nothing. Raises UnableToRun."""
    preview, ids = RunPreview(), []

    def watch(chunk: ChunkPlan, index: WindowIndex) -> None:
        if chunk.ineligible:
            preview.outcome, preview.reason = Outcome.NOT_ELIGIBLE, chunk.ineligible[0][1]
        elif chunk.deferred:
            preview.outcome = Outcome.DEFERRED
        for _person, plan in chunk.mailed:
            preview.outcome, preview.waiting = Outcome.MAILED, plan.waiting
            for section in plan.sections:
                ids.extend(index.company_ids(section.listed))

    _run(agent, now=now, occurrence=now, dry_run=True, only=OneAgent(agent.pk, watch=watch))
    companies = Company.objects.filter(pk__in=ids).select_related("industry", "region")
    preview.companies = list(companies.order_by("-fresh_at", "-pk"))
    return preview


def ask_to_run(agent: ScheduledMailReport, now: datetime) -> str:
    """A ticket for one run of the agent: used twice, it joins the first run."""
    # Beat fires on whole minutes: a run of its own never joins one of those.
    moment = now.replace(microsecond=now.microsecond or 1)
    return signing.dumps([agent.pk, moment.isoformat()], salt=SALT)


def run_agent(agent: ScheduledMailReport, ticket: str, now: datetime) -> RunResult:
    """Plan a mail of this agent now and put it in the queue. Raises UnableToRun."""
    try:
        agent_id, moment = signing.loads(ticket, salt=SALT, max_age=VALID_FOR)
    except signing.BadSignature:
        agent_id, moment = None, ""
    if agent_id != agent.pk:
        raise UnableToRun(_("This page is too old. Please ask again."))
    occurrence = datetime.fromisoformat(moment)
    return _run(agent, now=now, occurrence=occurrence, dry_run=False, only=OneAgent(agent.pk))


def _run(
    agent: ScheduledMailReport,
    *,
    now: datetime,
    occurrence: datetime,
    dry_run: bool,
    only: OneAgent,
) -> RunResult:
    if agent.deleted_at is not None or not agent.is_active:
        raise UnableToRun(_("This search agent is switched off."))
    try:
        return run_reports(
            agent.frequency, now=now, occurrence=occurrence, dry_run=dry_run, only=only
        )
    except UnableToPlan as error:
        raise UnableToRun(
            _("A report run is being planned just now. Please try again in a minute.")
        ) from error
