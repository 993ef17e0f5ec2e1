"""Counting the ledger into figures that stay: hourly, and by person and day."""

from operations.rollup.hours import roll_up
from operations.rollup.person_days import roll_up_person_days

__all__ = ["roll_up", "roll_up_person_days"]
