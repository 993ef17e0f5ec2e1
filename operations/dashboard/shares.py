"""Shares of a whole, where the whole may be nothing."""

from __future__ import annotations


def share(part: int, whole: int) -> float | None:
    """0.0 to 1.0; None where there is nothing to have a share of."""
    return part / whole if whole else None
