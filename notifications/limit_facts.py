"""What there is to know about each limit: its value, unit, bounds and last change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from django.db.models import Field
from django.utils.formats import number_format
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from notifications.limit_changes import LimitsRow, last_changes, provider_of
from notifications.models import DispatchLimits, LimitChange, UncertainPolicy
from notifications.models.limits import BOUNDS

SECONDS, DAYS = gettext_lazy("seconds"), gettext_lazy("days")
UNITS: Mapping[str, Any] = {
    "max_mails_per_run": gettext_lazy("mails"),
    "max_companies": gettext_lazy("companies"),
    "max_agents_per_user": gettext_lazy("search agents"),
    "max_listing_age_days": DAYS,
    "late_commit_grace_seconds": SECONDS,
    "digest_valid_hours": gettext_lazy("hours"),
    "batch_size": gettext_lazy("deliveries"),
    "lease_seconds": SECONDS,
    "requeue_after_seconds": SECONDS,
    "max_attempts": gettext_lazy("attempts"),
    "backoff_base_seconds": SECONDS,
    "backoff_cap_seconds": SECONDS,
    "breaker_failures": gettext_lazy("failures"),
    "breaker_pause_seconds": SECONDS,
    "account_share_percent": gettext_lazy("percent"),
    "uncertain_grace_minutes": gettext_lazy("minutes"),
    "uncertain_policy": "",
    "sent_mark_days": DAYS,
    "retention_days": DAYS,
}
QUOTA_UNITS: Mapping[str, Any] = {
    "per_second": gettext_lazy("messages a second"),
    "per_minute": gettext_lazy("messages a minute"),
    "per_day": gettext_lazy("messages a day"),
}


@dataclass(frozen=True, slots=True)
class LimitFact:
    """One limit as people and scripts want to know it; `highest` is None where there is none."""

    name: str
    title: str
    help_text: str
    value: int | str | None
    unit: str
    lowest: int | None
    highest: int | None
    last: LimitChange | None

    @property
    def bounds(self) -> str:
        """The values it may have, in words."""
        if self.lowest is None:
            return _("one of: %(names)s") % {"names": ", ".join(UncertainPolicy.values)}
        lowest = number_format(self.lowest, force_grouping=True)
        if self.highest is None:
            return _("%(lowest)s or more; empty: no limit") % {"lowest": lowest}
        highest = number_format(self.highest, force_grouping=True)
        return _("%(lowest)s to %(highest)s") % {"lowest": lowest, "highest": highest}


def limit_names(row: LimitsRow) -> list[str]:
    """The limits that the row has, in the order of the admin's page."""
    return list(UNITS if isinstance(row, DispatchLimits) else QUOTA_UNITS)


def facts_of(row: LimitsRow) -> list[LimitFact]:
    """Every limit of the row, in the order of the admin's page. One query."""
    is_general = isinstance(row, DispatchLimits)
    units = UNITS if is_general else QUOTA_UNITS
    last = last_changes(provider_of(row))
    return [_fact(row, name, units[name], is_general, last.get(name)) for name in units]


def _fact(
    row: LimitsRow, name: str, unit: Any, is_general: bool, last: LimitChange | None
) -> LimitFact:
    field = cast("Field[Any, Any]", row._meta.get_field(name))
    lowest, highest = BOUNDS.get(name, (None, None)) if is_general else (1, None)
    return LimitFact(
        name=name,
        title=str(capfirst(field.verbose_name)),
        help_text=str(field.help_text),
        value=getattr(row, name),
        unit=str(unit),
        lowest=lowest,
        highest=highest,
        last=last,
    )
