"""The dashboard's ways to write a number."""

from __future__ import annotations

from datetime import timedelta

from django import template

from operations.dashboard.wording import number_in_words, share_in_words, span_in_words

register = template.Library()


@register.filter
def in_words(value: int | float | timedelta | None) -> str:
    """A whole number with its thousands apart, a share (a float) as per cent, a length of time."""
    if isinstance(value, timedelta):
        return span_in_words(value)
    return number_in_words(value) if isinstance(value, int) else share_in_words(value)
