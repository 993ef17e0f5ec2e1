"""Changing limits, from the admin and from the command line alike: saved with their history."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db import transaction

from marketplace.models import User
from notifications.models import DispatchLimits, LimitChange, ProviderQuota

LimitsRow = DispatchLimits | ProviderQuota


def save_limits(
    row: LimitsRow, *, names: Collection[str], operator: User | str, now: datetime
) -> list[LimitChange]:
    """Store the limits `names` of a checked `row`, and who changed them, in one transaction.

    `operator` is the person, or in words the command that did it. Answers what was changed in the
    database: a limit that has its value already, whoever stored it, is no change.
    """
    with transaction.atomic():
        stored = type(row)._default_manager.select_for_update().get(pk=row.pk)
        changes = [
            LimitChange(
                provider=provider_of(row),
                field=name,
                before=_as_text(getattr(stored, name)),
                after=_as_text(getattr(row, name)),
                operator=operator if isinstance(operator, User) else None,
                by_command=operator[:100] if isinstance(operator, str) else "",
                changed_at=now,
            )
            for name in names
            if getattr(stored, name) != getattr(row, name)
        ]
        if changes:
            row.save(update_fields=[*(change.field for change in changes), "updated_at"])
            LimitChange.objects.bulk_create(changes)
    return changes


def provider_of(row: LimitsRow) -> str:
    """The provider whose limits these are; empty for the general limits."""
    return row.provider if isinstance(row, ProviderQuota) else ""


def last_changes(provider: str) -> dict[str, LimitChange]:
    """The latest change of each limit of a provider (or of the general ones), by its name."""
    rows = LimitChange.objects.filter(provider=provider).select_related("operator")
    return {row.field: row for row in rows.order_by("field", "-pk").distinct("field")}


def _as_text(value: Any) -> str:
    return "" if value is None else str(value)
