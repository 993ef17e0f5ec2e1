"""Unsubscribing from mails of search agents: those of one mail, or all of a person.

Each mail acts for the person it was made for and nobody else, whoever owns the address today.
A digest that is planned already leaves out the agents that were switched off meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import F, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.models import DigestSection, ScheduledMailReport
from notifications.models import Delivery
from notifications.sources import DEFAULT_SCOPE, Scope

ALL = "all"
MOST_NAMES = 3


def unsubscribe_scopes(delivery: Delivery) -> list[Scope]:
    """The agents in this mail, then all of its person; only the latter once the mail was pruned.

    None at all once the account is gone.
    """
    if delivery.user_id is None:  # the account is gone
        return []
    mine = ScheduledMailReport.objects.filter(user=delivery.user_id)
    is_none_on = not mine.kept().filter(is_active=True).exists()
    everything = Scope(ALL, _("All your search agents"), is_none_on)
    in_mail = list(mine.filter(sections__delivery=delivery.pk).order_by("sections"))
    if not in_mail:
        return [everything]
    is_off = not any(agent.is_active and agent.deleted_at is None for agent in in_mail)
    return [Scope(DEFAULT_SCOPE, _naming(in_mail), is_off), everything]


def switch_off(deliveries: Sequence[Delivery], scope: str) -> None:
    """Switch off what the scope names, for each delivery's own person. Two statements at most."""
    if scope == ALL:
        named = Q(user__in=_people_of(deliveries))
    elif scope == DEFAULT_SCOPE:
        named = _named_in(deliveries)
    else:
        return
    ScheduledMailReport.objects.filter(named, is_active=True).update(is_active=False)


def _named_in(deliveries: Sequence[Delivery]) -> Q:
    """The agents that spoke in these mails.

    A mail that was pruned names its agents no more: then one click means all of them, as its
    person wanted no more mail like it.
    """
    ids = [delivery.pk for delivery in deliveries]
    spoke = DigestSection.objects.filter(delivery__in=ids, delivery__user=F("agent__user"))
    pairs = list(spoke.values_list("delivery", "agent"))
    told = {delivery_id for delivery_id, _agent_id in pairs}
    pruned = [delivery for delivery in deliveries if delivery.pk not in told]
    agents = {agent_id for _delivery_id, agent_id in pairs}
    return Q(pk__in=agents) | Q(user__in=_people_of(pruned))


def _people_of(deliveries: Sequence[Delivery]) -> set[int]:
    return {delivery.user_id for delivery in deliveries if delivery.user_id is not None}


def _naming(agents: Sequence[ScheduledMailReport]) -> str:
    """The agents by name; only the first few of many."""
    names = ", ".join(_("“%(name)s”") % {"name": agent.name} for agent in agents[:MOST_NAMES])
    rest = len(agents) - MOST_NAMES
    if rest > 0:
        return ngettext(
            "Search agents %(names)s and %(rest)d more",
            "Search agents %(names)s and %(rest)d more",
            rest,
        ) % {"names": names, "rest": rest}
    return ngettext("Search agent %(names)s", "Search agents %(names)s", len(agents)) % {
        "names": names
    }
