"""What one check says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """One thing that was looked at.

    `name` is stable, for scripts; `message` says what was found; `remedy` what to do, and is empty
    where nothing is wrong. Both are in the language that is active now, and hold no secrets.
    """

    name: str
    ok: bool
    message: str
    remedy: str


def passed(name: str, message: str) -> Check:
    """Nothing is wrong."""
    return Check(name, True, message, "")


def failed(name: str, message: str, remedy: str) -> Check:
    """Something is wrong, and this is what to do."""
    return Check(name, False, message, remedy)
