"""Keeping secrets out of the log: links of mails carry tokens that act without a log-in."""

from __future__ import annotations

import logging
import re

LONG_PART = re.compile(r"(?<=/)([^/\s'\"]{6})[^/\s'\"]{14,}")
LONGEST_LINE = 500


class ShortPaths(logging.Filter):
    """Shorten what Django says of a request: long parts of its path, and the whole line."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record; it is always let through."""
        if record.name.startswith(("django.", "gunicorn.access")):
            record.msg = LONG_PART.sub(r"\1…", record.getMessage())[:LONGEST_LINE]
            record.args = None
            # It would be written out with its path.
            record.__dict__.pop("request", None)
        return True
