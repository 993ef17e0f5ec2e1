"""Keywords by PostgreSQL full text: German and English word forms, every word must occur.

A company's `search_vector` holds the lexemes of both languages. Keywords match when all of their
German lexemes occur in it, or all of their English ones; a language in which nothing but filler
words is left does not count. Croatian words match in the form in which they were written.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping
from typing import Any

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, Func, Q, Value
from django.db.models.sql.compiler import SQLCompiler

CONFIGS = ("german", "english")
MAX_KEYWORDS_LENGTH = 200

Lexemes = tuple[frozenset[str], ...]
"""The alternatives of one keywords text: one non-empty set a language."""


# Lexemes are quoted as tsquery wants it: quotes and backslashes are doubled inside quotes.
QUERY_SQL = r"""
{vector} @@ COALESCE((
    SELECT string_agg(
        '''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''', ' & '
    )::tsquery
    FROM unnest(tsvector_to_array(to_tsvector({config}::regconfig, {keywords}))) AS lexeme
), ''::tsquery)
"""


class ContainsLexemes(Func):
    """True where `search_vector` holds every lexeme of the keywords in one text search config.

    The query is put together from lexemes, not by `plainto_tsquery`, because that turns compound
    words into phrases, which a set of lexemes cannot answer.
    """

    output_field = BooleanField()

    def as_sql(  # type: ignore[override]
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, list[Any]]:
        """The SQL: `vector @@ lexeme & lexeme & …`; no lexeme at all matches nothing."""
        vector, config, keywords = (
            compiler.compile(expression) for expression in self.source_expressions
        )
        sql = QUERY_SQL.format(vector=vector[0], config=config[0], keywords=keywords[0])
        return sql, [*vector[1], *config[1], *keywords[1]]


def clean_keywords(text: str) -> str:
    """One line, single spaces, no control characters, composed Unicode."""
    text = unicodedata.normalize("NFC", str(text or ""))
    text = "".join(
        " " if unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs") else char for char in text
    )
    return " ".join(text.split())


def keywords_q(keywords: str) -> Q:
    """A `Q` on Company that asks for the keywords; empty keywords ask for nothing."""
    if not keywords:
        return Q()
    matches = Q()
    for config in CONFIGS:
        matches |= Q(ContainsLexemes("search_vector", Value(config), Value(keywords)))
    return matches


def lexemes_of(texts: Collection[str]) -> Mapping[str, Lexemes]:
    """The lexeme alternatives of each keywords text; one query whatever their number."""
    distinct = sorted({text for text in texts if text})
    if not distinct:
        return {}
    columns = ", ".join(f"tsvector_to_array(to_tsvector('{config}', text))" for config in CONFIGS)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT text, {columns} FROM unnest(%s::text[]) AS text", [distinct])  # noqa: S608
        return {
            text: tuple(frozenset(lexemes) for lexemes in alternatives if lexemes)
            for text, *alternatives in cursor.fetchall()
        }
