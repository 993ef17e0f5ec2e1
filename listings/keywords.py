"""Keywords by PostgreSQL full text: German and English word forms, every word must occur.

A company's `search_vector` holds the lexemes of both languages. Keywords match when all of their
German lexemes occur in it, or all of their English ones; a language in which nothing but filler
words is left does not count. Croatian words match in the form in which they were written.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping

from django.db import connection
from django.db.models import BooleanField, Func, Q, Value

CONFIGS = ("german", "english")
MAX_KEYWORDS_LENGTH = 200

Lexemes = tuple[frozenset[str], ...]
"""The alternatives of one keywords text: one non-empty set a language."""


class MatchesQuery(Func):
    """`vector @@ query`, the query ready-made: its words tell PostgreSQL how rare they are.

    Not `plainto_tsquery`: that turns compound words into phrases, which a set of lexemes cannot
    answer.
    """

    template = "%(expressions)s::tsquery"
    arg_joiner = " @@ "
    output_field = BooleanField()


def clean_keywords(text: str) -> str:
    """One line, single spaces, no control characters, composed Unicode."""
    text = unicodedata.normalize("NFC", str(text or ""))
    text = "".join(
        " " if unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs") else char for char in text
    )
    return " ".join(text.split())


def keywords_q(keywords: str, lexemes: Mapping[str, Lexemes] | None = None) -> Q:
    """A `Q` on Company that asks for the keywords; empty keywords ask for nothing.

    Asks the database for the lexemes first, unless they are given (`lexemes_of`). Nothing but
    filler words matches nothing.
    """
    if not keywords:
        return Q()
    alternatives = (lexemes_of([keywords]) if lexemes is None else lexemes)[keywords]
    if not alternatives:
        return Q(pk__in=())
    return Q(MatchesQuery("search_vector", Value(_tsquery(alternatives))))


def match_nothing(keywords: str) -> bool:
    """True when no company ever matches: signs, or words that are fillers in every language.

    One query.
    """
    return bool(keywords) and not lexemes_of([keywords])[keywords]


def _tsquery(alternatives: Lexemes) -> str:
    """All lexemes of one of the alternatives, in the notation of PostgreSQL."""
    return " | ".join(
        "(" + " & ".join(_quoted(lexeme) for lexeme in sorted(lexemes)) + ")"
        for lexemes in alternatives
    )


def _quoted(lexeme: str) -> str:
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


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
