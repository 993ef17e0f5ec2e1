"""Taking a deletion back, within some minutes, exactly: as if the agent had never been away."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Min, Q
from django.utils.translation import gettext as _

from agents.editing import locked_agent, refuse_beyond_limit
from agents.models import DigestSection, ScheduledMailReport
from marketplace.models import User

UNDO_FOR = timedelta(minutes=15)


class UnableToRestore(ValueError):
    """The deletion was too long ago."""


def recently_deleted(user: User, now: datetime) -> list[ScheduledMailReport]:
    """The person's agents whose deletion can still be taken back, the last one first."""
    deleted = ScheduledMailReport.objects.filter(user=user, deleted_at__gt=now - UNDO_FOR)
    return list(deleted.order_by("-deleted_at", "-pk"))


@transaction.atomic
def restore_agent(agent: ScheduledMailReport, now: datetime) -> ScheduledMailReport:
    """Take the deletion back; an agent that is there stays as it is.

    Raises UnableToRestore after `UNDO_FOR`, and UnableToAddAgent when others took its place.
    """
    user = User.objects.select_for_update().get(pk=agent.user_id)
    agent = locked_agent(agent)
    if agent.deleted_at is None:
        return agent
    if agent.deleted_at <= now - UNDO_FOR:
        raise UnableToRestore(_("It was deleted too long ago to bring it back."))
    refuse_beyond_limit(user)
    agent.matched_until = min(agent.matched_until, _left_out_since(agent) or agent.matched_until)
    agent.deleted_at = None
    agent.save(update_fields=["matched_until", "deleted_at"])
    return agent


def _left_out_since(agent: ScheduledMailReport) -> datetime | None:
    """Where the digests began to look that have left the agent out because it was deleted.

    Its companies in them were not shown, though its watermark had passed them.
    """
    meanwhile = Q(delivery__finished_at=None) | Q(delivery__finished_at__gte=agent.deleted_at)
    sections = DigestSection.objects.filter(meanwhile, agent=agent)
    return sections.aggregate(start=Min("window_from"))["start"]
