"""What the API says of values that its schemas refuse, in the language of the request.

By pydantic's types of errors, with their parameters; a test holds the schemas to them. Schemas
and the words of pydantic itself: https://docs.pydantic.dev/latest/errors/validation_errors/
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext_lazy

UNKNOWN = gettext_noop("This value cannot be used.")
MESSAGES: Mapping[str, Any] = {
    "missing": gettext_noop("This field is required."),
    "extra_forbidden": gettext_noop("There is no such field."),
    "model_attributes_type": gettext_noop("Must be an object."),
    "model_type": gettext_noop("Must be an object."),
    "list_type": gettext_noop("Must be a list."),
    "string_type": gettext_noop("Must be text."),
    "string_unicode": gettext_noop("Must be text."),
    "string_pattern_mismatch": gettext_noop("This is not in the form that is expected here."),
    "enum": gettext_noop("Must be one of: %(expected)s."),
    "bool_type": gettext_noop("Must be true or false."),
    "bool_parsing": gettext_noop("Must be true or false."),
    "int_type": gettext_noop("Must be a whole number."),
    "int_parsing": gettext_noop("Must be a whole number."),
    "int_parsing_size": gettext_noop("Must be a whole number."),
    "int_from_float": gettext_noop("Must be a whole number."),
    "decimal_type": gettext_noop("Must be a number."),
    "decimal_parsing": gettext_noop("Must be a number."),
    "finite_number": gettext_noop("Must be a number."),
    "greater_than_equal": gettext_noop("Must be at least %(ge)s."),
    "less_than_equal": gettext_noop("Must be at most %(le)s."),
}
# Those that count something: the parameter that does, and the words for one and for more.
COUNTED: Mapping[str, tuple[str, Any]] = {
    "string_too_short": (
        "min_length",
        ngettext_lazy(
            "Must have at least %(min_length)s character.",
            "Must have at least %(min_length)s characters.",
            "min_length",
        ),
    ),
    "string_too_long": (
        "max_length",
        ngettext_lazy(
            "Must have at most %(max_length)s character.",
            "Must have at most %(max_length)s characters.",
            "max_length",
        ),
    ),
    "too_long": (
        "max_length",
        ngettext_lazy(
            "May hold at most %(max_length)s value.",
            "May hold at most %(max_length)s values.",
            "max_length",
        ),
    ),
    "decimal_max_digits": (
        "max_digits",
        ngettext_lazy(
            "May have at most %(max_digits)s digit.",
            "May have at most %(max_digits)s digits.",
            "max_digits",
        ),
    ),
    "decimal_max_places": (
        "decimal_places",
        ngettext_lazy(
            "May have at most %(decimal_places)s digit after the point.",
            "May have at most %(decimal_places)s digits after the point.",
            "decimal_places",
        ),
    ),
    "decimal_whole_digits": (
        "whole_digits",
        ngettext_lazy(
            "May have at most %(whole_digits)s digit before the point.",
            "May have at most %(whole_digits)s digits before the point.",
            "whole_digits",
        ),
    ),
}


def message_of(error: Mapping[str, Any]) -> str:
    """The words for one of pydantic's errors (`type`, `ctx`), in the active language."""
    values = {name: str(value) for name, value in (error.get("ctx") or {}).items()}
    if (counted := COUNTED.get(error["type"])) is not None:
        name, words = counted
        return str(words % {name: int(values[name])})
    if "expected" in values:
        values["expected"] = values["expected"].replace("'", "").replace(" or ", ", ")
    return _(MESSAGES.get(error["type"], UNKNOWN)) % values
