"""Writing many rows in one statement: PostgreSQL unnests one array a column.

Ten times faster than `bulk_create` and `bulk_update` for the planner's narrow rows, which are
plain values and need no model instances.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.db import connection


def insert_rows(table: str, columns: Mapping[str, str], rows: Iterable[tuple[object, ...]]) -> None:
    """Insert rows; `columns` names each column's PostgreSQL type. Conflicts are left out.

    A conflict in the dedup table means that the company was shown already: never again.
    """
    arrays = _arrays(columns, rows)
    if not arrays:
        return
    names = ", ".join(columns)
    sql = (
        f"INSERT INTO {table} ({names}) SELECT * FROM unnest({_casts(columns)}) "  # noqa: S608
        "ON CONFLICT DO NOTHING"
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, arrays)


def update_rows(table: str, columns: Mapping[str, str], rows: Iterable[tuple[object, ...]]) -> None:
    """Update rows by their `id`, the first of `columns`."""
    arrays = _arrays(columns, rows)
    if not arrays:
        return
    names = ", ".join(columns)
    assignments = ", ".join(f"{name} = new.{name}" for name in columns if name != "id")
    sql = (
        f"UPDATE {table} AS old SET {assignments} "  # noqa: S608
        f"FROM unnest({_casts(columns)}) AS new ({names}) WHERE old.id = new.id"
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, arrays)


def _casts(columns: Mapping[str, str]) -> str:
    return ", ".join(f"%s::{kind}[]" for kind in columns.values())


def _arrays(columns: Mapping[str, str], rows: Iterable[tuple[object, ...]]) -> list[list[object]]:
    """One list a column; empty when there are no rows."""
    arrays = [list(values) for values in zip(*rows, strict=True)]
    if arrays and len(arrays) != len(columns):
        raise ValueError(f"Rows have {len(arrays)} values for {len(columns)} columns.")
    return arrays
