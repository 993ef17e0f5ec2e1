"""Many ids in one query: a single array parameter instead of thousands of placeholders."""

from collections.abc import Collection

from django.db.models.expressions import RawSQL


def these(ids: Collection[int]) -> RawSQL:
    """For `field__in=these(ids)`: the same rows, without the cost of a placeholder an id."""
    return RawSQL("SELECT unnest(%s::bigint[])", [list(ids)])
