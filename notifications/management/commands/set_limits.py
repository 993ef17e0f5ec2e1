"""`manage.py set_limits`: show every limit, or change some, as the admin's pages do."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from rich.markup import escape
from rich.table import Table

from notifications.limit_changes import LimitsRow, provider_of, save_limits
from notifications.limit_facts import LimitFact, facts_of, limit_names
from notifications.management.arguments import as_text, operator_of
from notifications.models import DispatchLimits, LimitChange, ProviderQuota

WIDTH = 120
NO_LIMIT = ("", "none")


class Command(BaseCommand):
    help = "Show every limit with its bounds, or change some: set_limits max_mails_per_run=500."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "values",
            nargs="*",
            metavar="NAME=VALUE",
            help="limits to change; without any they are shown; per_day=none lifts a "
            "provider's limit",
        )
        parser.add_argument("--provider", help="the limits of this provider, not the general ones")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        provider, wanted = options["provider"], options["values"]
        if not wanted:
            rows = _every_row() if provider is None else [_row_of(provider)]
            self.stdout.write(_as_json(rows) if options["json"] else _as_tables(rows))
            return
        changes = _change(_row_of(provider), _pairs(wanted))
        show = _changes_as_json if options["json"] else _changes_as_table
        self.stdout.write(show(changes))


def _providers() -> list[str]:
    """Those in use, and those that have limits already."""
    in_use = filter(None, (settings.EMAIL_PROVIDER, settings.SMS_PROVIDER))
    return sorted({*in_use, *ProviderQuota.objects.values_list("pk", flat=True)})


def _every_row() -> list[LimitsRow]:
    return [DispatchLimits.current(), *(ProviderQuota.of(name) for name in _providers())]


def _row_of(provider: str | None) -> LimitsRow:
    if provider is None:
        return DispatchLimits.current()
    known = _providers()
    if provider not in known:
        raise CommandError(f"There is no provider {provider!r}. Known: {', '.join(known)}.")
    return ProviderQuota.of(provider)


def _pairs(wanted: Sequence[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in wanted:
        name, sign, value = text.partition("=")
        if not sign:
            raise CommandError(f"{text!r} is not of the form NAME=VALUE.")
        if name in pairs:
            raise CommandError(f"{name} is named twice.")
        pairs[name] = value.strip()
    return pairs


def _change(row: LimitsRow, pairs: dict[str, str]) -> list[LimitChange]:
    """Check all values, then store all; one that is wrong changes nothing."""
    names = limit_names(row)
    for name in pairs:
        if name not in names:
            raise CommandError(f"There is no limit {name!r} here. Known: {', '.join(names)}.")
    for name, text in pairs.items():
        is_lifted = isinstance(row, ProviderQuota) and text.lower() in NO_LIMIT
        setattr(row, name, None if is_lifted else text)
    try:
        row.full_clean()
    except ValidationError as error:
        raise CommandError(_in_one_line(error, row)) from error
    return save_limits(row, names=pairs, operator=operator_of("set_limits"), now=timezone.now())


def _in_one_line(error: ValidationError, row: LimitsRow) -> str:
    """Every wrong value with its bounds, on one line."""
    bounds = {fact.name: fact.bounds for fact in facts_of(row)}
    return " ".join(
        f"{name}: {' '.join(texts)} ({bounds[name]})" if name in bounds else " ".join(texts)
        for name, texts in error.message_dict.items()
    )


def _as_json(rows: Sequence[LimitsRow]) -> str:
    limits = [
        {
            "provider": provider_of(row) or None,
            "name": fact.name,
            "value": fact.value,
            "unit": fact.unit,
            "lowest": fact.lowest,
            "highest": fact.highest,
            "changed_at": fact.last and fact.last.changed_at.isoformat(),
            "changed_by": fact.last and fact.last.who,
        }
        for row in rows
        for fact in facts_of(row)
    ]
    return json.dumps({"limits": limits})


def _as_tables(rows: Sequence[LimitsRow]) -> str:
    return as_text(*(_table(row) for row in rows), width=WIDTH)


def _table(row: LimitsRow) -> Table:
    table = Table(title=escape(provider_of(row) or "limits"))
    table.add_column("limit", no_wrap=True)
    table.add_column("value", justify="right")
    table.add_column("unit")
    table.add_column("bounds")
    table.add_column("last change")
    for fact in facts_of(row):
        table.add_row(fact.name, _value(fact.value), fact.unit, fact.bounds, escape(_last(fact)))
    return table


def _value(value: int | str | None) -> str:
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else value


def _last(fact: LimitFact) -> str:
    if fact.last is None:
        return "never"
    at = timezone.localtime(fact.last.changed_at)
    return f"{at:%Y-%m-%d %H:%M} {fact.last.who}, was {fact.last.before or '–'}"


def _changes_as_json(changes: Sequence[LimitChange]) -> str:
    changed = [
        {
            "provider": change.provider or None,
            "name": change.field,
            "before": change.before,
            "after": change.after,
        }
        for change in changes
    ]
    return json.dumps({"changed": changed})


def _changes_as_table(changes: Sequence[LimitChange]) -> str:
    if not changes:
        return "Nothing to change: the limits have these values already."
    table = Table(title="changed; in force from the next run or batch", min_width=50)
    for column in ("limit", "before", "after"):
        table.add_column(column, justify="left" if column == "limit" else "right")
    for change in changes:
        name = f"{change.provider} {change.field}".strip()
        table.add_row(escape(name), change.before or "–", change.after or "–")
    return as_text(table, width=WIDTH)
