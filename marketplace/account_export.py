"""A person's data as one JSON document, written piece by piece however much there is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import QuerySet

from marketplace.models import User
from marketplace.personal_data import keepers

ROWS_AT_ONCE = 500


def export_lines(user: User, now: datetime) -> Iterator[str]:
    """The document in pieces: an object with the moment, and a list for each part of the data.

    Never more than `ROWS_AT_ONCE` rows are in memory.
    """
    yield '{"exported_at": ' + _json(now)
    for keeper in keepers():
        for name, rows in keeper.export(user).items():
            yield f",\n{_json(name)}: ["
            yield from _list(rows)
            yield "]"
    yield "}\n"


def _list(rows: Iterable[Any]) -> Iterator[str]:
    is_first = True
    for row in rows.iterator(ROWS_AT_ONCE) if isinstance(rows, QuerySet) else rows:
        yield ("\n  " if is_first else ",\n  ") + _json(row)
        is_first = False


def _json(value: Any) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)
