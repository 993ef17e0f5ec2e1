"""What a run counts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields


@dataclass(slots=True)
class Counters:
    """Counts of a run; the names are the fields of ReportRun.

    `matched` and `duplicates` are hits among the news since each agent's last run; `reported`
    stand in mails, `waiting` are left for later ones; the others are people.
    """

    due: int = 0
    eligible: int = 0
    matched: int = 0
    duplicates: int = 0
    digests: int = 0
    reported: int = 0
    waiting: int = 0
    deferred: int = 0

    def add(self, other: Counters) -> None:
        """Add another chunk's counts."""
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    def as_dict(self) -> dict[str, int]:
        """The counts by name."""
        return asdict(self)
