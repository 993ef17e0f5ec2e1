"""The button on a company's page that hides it from its reader, or shows it again."""

from __future__ import annotations

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
