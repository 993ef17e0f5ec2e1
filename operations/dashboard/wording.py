"""Numbers, shares and lengths of time as people read them, in the active language."""

from __future__ import annotations

from datetime import timedelta

from django.utils.formats import number_format
from django.utils.translation import gettext as _

SMALL = 0.01
MINUTE, HOUR, DAY = 60, 3600, 86_400


def number_in_words(number: int) -> str:
    """12,345."""
    return number_format(number, 0, use_l10n=True, force_grouping=True)


def decimal_in_words(number: float, digits: int) -> str:
    """1.10: rounded, where Django's own formatting cuts off."""
    return number_format(f"{number:.{digits}f}", digits, use_l10n=True, force_grouping=True)


def share_in_words(share: float | None) -> str:
    """41.2 %, 0.05 % for what is small, a dash for what nobody knows."""
    if share is None:
        return "–"
    digits = 2 if 0 < share < SMALL else 0 if share in (0, 1) else 1
    return _percent(share * 100, digits)


def tick_in_words(share: float) -> str:
    """A share beside an axis, with no more decimals than it needs."""
    number = round(share * 100, 4)
    digits = next((digits for digits in (0, 1) if round(number, digits) == number), 2)
    return _percent(number, digits)


def _percent(number: float, digits: int) -> str:
    """The sign stays on the line of its number."""
    words = {"number": decimal_in_words(number, digits)}
    return (_("%(number)s %%") % words).replace(" ", "\N{NO-BREAK SPACE}")


def span_in_words(span: timedelta) -> str:
    """4 s, 12 min, 3 h 20 min, 5 d 4 h: never more than two parts."""
    seconds = max(0, int(span.total_seconds()))
    if seconds < MINUTE:
        return _("%(seconds)d s") % {"seconds": seconds}
    if seconds < HOUR:
        return _("%(minutes)d min") % {"minutes": seconds // MINUTE}
    if seconds < DAY:
        parts = {"hours": seconds // HOUR, "minutes": seconds % HOUR // MINUTE}
        return _("%(hours)d h %(minutes)d min") % parts
    return _("%(days)d d %(hours)d h") % {"days": seconds // DAY, "hours": seconds % DAY // HOUR}
