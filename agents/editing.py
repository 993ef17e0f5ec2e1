"""What a person may do to a search agent: make, change, pause, resume, delete, move its times.

Nothing here repeats what was shown, brings a flood, or loses what was waiting:
- new criteria apply to news from now on; older news that waits must match both (former criteria);
- another frequency or hour keeps the watermark, so nothing in between is missed;
- a resumed agent starts at now: what came while it was paused was not wanted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from hashlib import sha256

from django.db import transaction
from django.utils.translation import gettext as _

from agents.former_criteria import with_edit
from agents.frequency import Frequency
from agents.models import ScheduledMailReport
from agents.schedule import MailTimes, next_run_after
from listings.criteria import Criteria, criteria_json
from marketplace.models import User
from notifications.models import DispatchLimits

DOUBLE_CLICK = timedelta(minutes=1)


class UnableToAddAgent(ValueError):
    """The person has as many search agents as the limits allow."""


class UnableToAddSame(ValueError):
    """The person has an agent with these criteria already: `existing`."""

    def __init__(self, existing: ScheduledMailReport) -> None:
        super().__init__(_("You have a search agent for this search already."))
        self.existing = existing


class UnableToOverwrite(ValueError):
    """The agent was changed since the person began to change it; `stored` is how it stands."""

    def __init__(self, stored: ScheduledMailReport) -> None:
        super().__init__(_("This search agent was changed elsewhere in the meantime."))
        self.stored = stored


def mail_times(user: User) -> MailTimes:
    """The person's wishes, as the schedule wants them."""
    return MailTimes(user.mail_hour, user.mail_weekday, user.mail_day_of_month, user.time_zone)


@transaction.atomic
def create_agent(
    user: User,
    *,
    name: str,
    criteria: Criteria,
    frequency: str,
    now: datetime,
    refuse_same: bool = False,
) -> ScheduledMailReport:
    """Store a new agent that watches from now on; a double click answers the one it made first.

    Raises UnableToAddAgent at the limit, and, with `refuse_same`, UnableToAddSame when the person
    has these criteria already, at whatever frequency; two browsers at once cannot pass either.
    """
    User.objects.select_for_update().get(pk=user.pk)
    if (twin := _twin_made_just_now(user, name, criteria, frequency, now)) is not None:
        return twin
    refuse_beyond_limit(user)
    if refuse_same:
        _refuse_same(user, criteria)
    agent = new_agent(user, name=name, criteria=criteria, frequency=frequency, now=now)
    agent.save()
    return agent


def refuse_beyond_limit(user: User) -> None:
    """Raise UnableToAddAgent when the person, whose row is locked, may have no more agents."""
    limit = DispatchLimits.current().max_agents_per_user
    if ScheduledMailReport.objects.kept().filter(user=user).count() >= limit:
        raise UnableToAddAgent(
            _("You have %(limit)s search agents, which is the most. Delete one to make room.")
            % {"limit": limit}
        )


def _refuse_same(
    user: User, criteria: Criteria | None, but: ScheduledMailReport | None = None
) -> None:
    """Raise UnableToAddSame when the person has these criteria in an agent other than `but`."""
    mine = ScheduledMailReport.objects.kept().filter(user=user).order_by("created_at", "pk")
    for agent in mine.exclude(pk=but.pk if but else 0):
        if agent.criteria == criteria:
            raise UnableToAddSame(agent)


def _twin_made_just_now(
    user: User, name: str, criteria: Criteria, frequency: str, now: datetime
) -> ScheduledMailReport | None:
    """The same agent, made within the last minute."""
    recent = ScheduledMailReport.objects.kept().filter(
        user=user, name=name, frequency=frequency, created_at__gt=now - DOUBLE_CLICK
    )
    return next((agent for agent in recent if agent.criteria == criteria), None)


def new_agent(
    user: User, *, name: str, criteria: Criteria, frequency: str, now: datetime
) -> ScheduledMailReport:
    """An agent that watches from `now` on; not stored."""
    agent = ScheduledMailReport(
        user=user,
        name=name,
        frequency=Frequency(frequency),
        watching_since=now,
        matched_until=now,
        next_run_at=next_run_after(frequency, mail_times(user), now),
    )
    agent.criteria = criteria
    return agent


@transaction.atomic
def change_agent(
    agent: ScheduledMailReport,
    *,
    now: datetime,
    name: str | None = None,
    criteria: Criteria | None = None,
    frequency: str | None = None,
    seen: str = "",
    refuse_same: bool = False,
) -> ScheduledMailReport:
    """Change what is given; the stored agent.

    `seen` is the version that the person has changed: raises UnableToOverwrite when somebody
    stored other values since. With `refuse_same` raises UnableToAddSame when another agent of the
    person has these criteria.
    """
    agent = locked_agent(agent)
    if seen not in ("", version_of(agent)) and not _is_already(agent, name, criteria, frequency):
        raise UnableToOverwrite(agent)
    if refuse_same and criteria not in (None, agent.criteria):
        _refuse_same(agent.user, criteria, but=agent)
    if name is not None:
        agent.name = name
    if criteria is not None and criteria != agent.criteria:
        agent.former_criteria = with_edit(agent.former_criteria, agent.criteria, now)
        agent.criteria = criteria
    if frequency is not None and frequency != agent.frequency:
        agent.frequency = Frequency(frequency)
        agent.next_run_at = next_run_after(frequency, mail_times(agent.user), now)
    agent.save()
    return agent


def version_of(agent: ScheduledMailReport) -> str:
    """A short text that is another one after every change of what a person can edit."""
    values = [agent.name, agent.frequency, criteria_json(agent)]
    return sha256(json.dumps(values).encode()).hexdigest()[:16]


def _is_already(
    agent: ScheduledMailReport, name: str | None, criteria: Criteria | None, frequency: str | None
) -> bool:
    """Whether the stored agent is what is asked for: the form was sent twice, say."""
    return (
        name in (None, agent.name)
        and criteria in (None, agent.criteria)
        and frequency in (None, agent.frequency)
    )


@transaction.atomic
def pause_agent(agent: ScheduledMailReport, now: datetime) -> ScheduledMailReport:
    """Switch off; digests that are planned already leave this agent out. Idempotent."""
    agent = locked_agent(agent)
    agent.is_active = False
    agent.save(update_fields=["is_active"])
    return agent


@transaction.atomic
def resume_agent(agent: ScheduledMailReport, now: datetime) -> ScheduledMailReport:
    """Switch on again, from now on. An agent that is on stays as it is."""
    agent = locked_agent(agent)
    if not agent.is_active and agent.deleted_at is None:
        agent.is_active = True
        agent.watching_since = agent.matched_until = now
        agent.former_criteria = []
        agent.next_run_at = next_run_after(agent.frequency, mail_times(agent.user), now)
        agent.save()
    return agent


@transaction.atomic
def delete_agent(agent: ScheduledMailReport, now: datetime) -> ScheduledMailReport:
    """Take away from its person. The row stays: what it has shown is not shown again.

    Whether it was switched on stays as well, for who takes the deletion back.
    """
    agent = locked_agent(agent)
    if agent.deleted_at is None:
        agent.deleted_at = now
        agent.save(update_fields=["deleted_at"])
    return agent


@transaction.atomic
def reschedule_agents(user: User, now: datetime) -> None:
    """The person's hour, day or zone changed: move the next runs of all agents accordingly."""
    agents = list(ScheduledMailReport.objects.kept().filter(user=user).select_for_update())
    _reschedule(agents, mail_times(user), now)


def _reschedule(agents: Iterable[ScheduledMailReport], times: MailTimes, now: datetime) -> None:
    for agent in agents:
        agent.next_run_at = next_run_after(agent.frequency, times, now)
    ScheduledMailReport.objects.bulk_update(agents, ["next_run_at"])


def locked_agent(agent: ScheduledMailReport) -> ScheduledMailReport:
    """The agent as it stands, locked: a report run may have moved it since it was read."""
    return (
        ScheduledMailReport.objects.select_for_update(of=("self",))
        .select_related("user")
        .get(pk=agent.pk)
    )
