"""What feeds call the state of an offer, in English, German and Croatian."""

from __future__ import annotations

from listings.feeds.problems import UnableToReadCell, shown
from listings.feeds.texts import folded

DRAFT, PUBLISHED, WITHDRAWN = "draft", "published", "withdrawn"

_WORDS = {
    PUBLISHED: """
        published, active, live, online, open, available, for sale, public, aktiv, veröffentlicht,
        verfügbar, offen, zu verkaufen, freigeschaltet, aktivno, aktivan, objavljeno, dostupno,
        na prodaju""",
    DRAFT: """
        draft, unpublished, pending, in preparation, entwurf, unveröffentlicht, in vorbereitung,
        in bearbeitung, nacrt, skica, neobjavljeno, u pripremi""",
    WITHDRAWN: """
        withdrawn, sold, inactive, closed, expired, deleted, offline, archived, reserved, verkauft,
        zurückgezogen, inaktiv, deaktiviert, geschlossen, abgelaufen, gelöscht, archiviert,
        reserviert, beendet, povučeno, prodano, neaktivno, zatvoreno, isteklo, obrisano,
        rezervirano""",
}
_STATUS_BY_WORD = {
    folded(word): status for status, words in _WORDS.items() for word in words.split(",")
}


def parse_status(text: str) -> str:
    """`draft`, `published` or `withdrawn`; an empty cell means published.

    Raises UnableToReadCell for an unknown word.
    """
    if not text:
        return PUBLISHED
    status = _STATUS_BY_WORD.get(folded(text))
    if status is None:
        raise UnableToReadCell(
            f"{shown(text)} is no known status; write published, draft or withdrawn"
        )
    return status
