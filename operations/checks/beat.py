"""Beat: its loop goes round, and what must be fired is switched on."""

from __future__ import annotations

from datetime import timedelta

from django.utils.translation import gettext as _

from operations import pulse
from operations.checks.check import Check, failed, passed
from operations.reach import Reach

SILENT_AFTER = timedelta(seconds=60)


def check_beat(reach: Reach) -> Check:
    """Whether beat has gone round lately."""
    wrote_at = pulse.beat_wrote_at(reach.redis)
    if wrote_at is None:
        return failed("beat", _("Beat has not been running."), _remedy())
    seconds = max(0.0, reach.now.timestamp() - wrote_at)
    words = {"seconds": int(seconds)}
    if seconds > SILENT_AFTER.total_seconds():
        return failed(
            "beat", _("Beat gave its last sign of life %(seconds)d seconds ago.") % words, _remedy()
        )
    return passed("beat", _("Beat's last sign of life is %(seconds)d seconds old.") % words)


def _remedy() -> str:
    return _(
        "Start beat again: “celery -A config beat”, or “docker compose restart beat”. Nobody is "
        "mailed meanwhile, and nothing is missed: the next firing takes everybody who is due."
    )
