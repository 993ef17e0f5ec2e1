"""Every new person starts with a search agent: broad criteria, weekly (SPEC A9)."""

from __future__ import annotations

from typing import Any

from django.db.models.signals import post_save
from django.dispatch import receiver
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from agents.editing import new_agent
from agents.frequency import Frequency
from agents.models import ScheduledMailReport
from listings.criteria import EVERYTHING
from marketplace.models import User


@receiver(post_save, sender=User, dispatch_uid="default_agent")
def add_default_agent(
    sender: type[User], instance: User, created: bool, raw: bool = False, **kwargs: Any
) -> None:
    """Give a new person the default agent; fixtures (`raw`) bring their own."""
    if not created or raw:
        return
    default_agent(instance).save()


def default_agent(user: User) -> ScheduledMailReport:
    """The default agent for a person, named in their language; not stored."""
    with translation.override(user.language):
        name = _("All new companies")
    agent = new_agent(
        user, name=name, criteria=EVERYTHING, frequency=Frequency.WEEKLY, now=timezone.now()
    )
    agent.is_default = True
    return agent
