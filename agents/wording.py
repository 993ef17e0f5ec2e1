"""Search agents in words."""

from listings.wording import criteria_in_words

__all__ = ["criteria_in_words"]
