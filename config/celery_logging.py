"""Celery's processes log as everything else does, and nothing but lines of the log.

Celery would put handlers of its own in their place, and greet with a banner.
"""

from __future__ import annotations

import logging
import logging.config
from typing import Any

from celery import signals
from django.conf import settings


@signals.setup_logging.connect
def use_our_settings(**_details: Any) -> None:
    """Take the settings' word for it; `--loglevel` and `--logfile` change nothing."""
    logging.config.dictConfig(settings.LOGGING)
    logging.captureWarnings(True)


@signals.celeryd_init.connect
def without_banner(instance: Any = None, **_details: Any) -> None:
    """Programs that read the log find no line that is none, from the first one on."""
    if settings.LOG_JSON and instance is not None:
        instance.quiet = True
        use_our_settings()
