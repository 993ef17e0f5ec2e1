"""Where log lines go and what they look like."""

from __future__ import annotations

from typing import Any


def logging_settings(level: str, *, as_json: bool) -> dict[str, Any]:
    """Everything from `level` on to standard error, as JSON for programs or plain for people."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "json": {"()": "config.log_lines.JsonLines"},
            "plain": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"},
        },
        "filters": {"short paths": {"()": "config.secrets_in_paths.ShortPaths"}},
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "formatter": "json" if as_json else "plain",
                "filters": ["short paths"],
            },
        },
        # Django and gunicorn would write theirs by handlers of their own.
        "loggers": {
            name: {"handlers": [], "propagate": True}
            for name in ("django", "django.server", "gunicorn.error", "gunicorn.access")
        },
        "root": {"handlers": ["console"], "level": level},
    }
