"""What a person may do to a search agent: make, change, pause, resume, delete, move its times.

Nothing here repeats what was shown, brings a flood, or loses what was waiting:
- new criteria apply to news from now on; older news that waits must match both (former criteria);
- another frequency or hour keeps the watermark, so nothing in between is missed;
- a resumed agent starts at now: what came while it was paused was not wanted.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from agents.former_criteria import with_edit
from agents.frequency import Frequency
from agents.models import ScheduledMailReport
from agents.schedule import MailTimes, next_run_after
from listings.criteria import Criteria
from marketplace.models import User
from notifications.models import DispatchLimits

DOUBLE_CLICK = timedelta(minutes=1)


class UnableToAddAgent(ValueError):
    """The person has as many search agents as the limits allow."""


def mail_times(user: User) -> MailTimes:
    """The person's wishes, as the schedule wants them."""
    return MailTimes(user.mail_hour, user.mail_weekday, user.mail_day_of_month, user.time_zone)


@transaction.atomic
def create_agent(
    user: User, *, name: str, criteria: Criteria, frequency: str, now: datetime
) -> ScheduledMailReport:
    """Store a new agent that watches from now on; a double click answers the one it made first.

    Raises UnableToAddAgent at the limit; two browsers at once cannot pass it.
    """
    User.objects.select_for_update().get(pk=user.pk)
    if (twin := _twin_made_just_now(user, name, criteria, frequency, now)) is not None:
        return twin
    limit = DispatchLimits.current().max_agents_per_user
    if ScheduledMailReport.objects.kept().filter(user=user).count() >= limit:
        raise UnableToAddAgent(
            _("You have %(limit)s search agents, which is the most. Delete one to make room.")
            % {"limit": limit}
        )
    agent = new_agent(user, name=name, criteria=criteria, frequency=frequency, now=now)
    agent.save()
    return agent


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
) -> ScheduledMailReport:
    """Change what is given; the stored agent."""
    agent = _locked(agent)
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


@transaction.atomic
def pause_agent(agent: ScheduledMailReport, now: datetime) -> ScheduledMailReport:
    """Switch off; digests that are planned already leave this agent out. Idempotent."""
    agent = _locked(agent)
    agent.is_active = False
    agent.save(update_fields=["is_active"])
    return agent


@transaction.atomic
def resume_agent(agent: ScheduledMailReport, now: datetime) -> ScheduledMailReport:
    """Switch on again, from now on. An agent that is on stays as it is."""
    agent = _locked(agent)
    if not agent.is_active and agent.deleted_at is None:
        agent.is_active = True
        agent.watching_since = agent.matched_until = now
        agent.former_criteria = []
        agent.next_run_at = next_run_after(agent.frequency, mail_times(agent.user), now)
        agent.save()
    return agent


@transaction.atomic
def delete_agent(agent: ScheduledMailReport, now: datetime) -> ScheduledMailReport:
    """Take away from its person. The row stays: what it has shown is not shown again."""
    agent = _locked(agent)
    if agent.deleted_at is None:
        agent.is_active, agent.deleted_at = False, now
        agent.save(update_fields=["is_active", "deleted_at"])
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


def _locked(agent: ScheduledMailReport) -> ScheduledMailReport:
    """The agent as it stands, locked: a report run may have moved it since it was read."""
    return (
        ScheduledMailReport.objects.select_for_update(of=("self",))
        .select_related("user")
        .get(pk=agent.pk)
    )
