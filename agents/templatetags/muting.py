"""The buttons that hide a company from their reader, or show it again: on its page, on cards."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import template

from agents.muting import muted_pairs
from listings.models import Company

register = template.Library()


@register.inclusion_tag("agents/mute_panel.html", takes_context=True)
def mute_panel(context: dict[str, Any], company: Company) -> dict[str, Any]:
    """Nothing for guests; one query for everybody else."""
    request = context["request"]
    user = request.user
    is_muted = user.is_authenticated and bool(muted_pairs([user.pk], [company.pk]))
    return {
        "request": request,
        "csrf_token": context.get("csrf_token"),
        "company": company,
        "is_offered": user.is_authenticated,
        "is_muted": is_muted,
    }


@register.simple_tag(takes_context=True)
def muted_among(context: dict[str, Any], companies: Iterable[Company]) -> set[int] | None:
    """The ids of those that the reader has hidden, by one query; None for guests."""
    user = context["request"].user
    if not user.is_authenticated:
        return None
    return {pk for _user, pk in muted_pairs([user.pk], [company.pk for company in companies])}
