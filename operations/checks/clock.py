"""The clocks of this machine, of PostgreSQL and of Redis: they decide who is due when."""

from __future__ import annotations

import time

from django.utils.translation import gettext as _

from operations.checks.check import Check, failed, passed
from operations.reach import Reach

MOST_SECONDS = 2.0


def check_clock(reach: Reach) -> Check:
    """Whether they agree within two seconds."""
    ahead = {
        "PostgreSQL": reach.database.clock_ahead_seconds,
        "Redis": _redis_ahead_seconds(reach),
    }
    wrong = {name: seconds for name, seconds in ahead.items() if abs(seconds) > MOST_SECONDS}
    if not wrong:
        worst = max(abs(seconds) for seconds in ahead.values())
        return passed(
            "clock", _("The clocks agree to within %(seconds).1f seconds.") % {"seconds": worst}
        )
    messages = [
        _("The clock of %(server)s is %(seconds).1f seconds ahead of this machine's.")
        % {"server": name, "seconds": seconds}
        if seconds > 0
        else _("The clock of %(server)s is %(seconds).1f seconds behind this machine's.")
        % {"server": name, "seconds": -seconds}
        for name, seconds in wrong.items()
    ]
    return failed(
        "clock",
        " ".join(messages),
        _("Let all machines set their clocks by the network: “timedatectl set-ntp true”."),
    )


def _redis_ahead_seconds(reach: Reach) -> float:
    before = time.time()
    seconds, microseconds = reach.redis.time()
    middle = (before + time.time()) / 2
    return float(seconds) + float(microseconds) / 1_000_000 - middle
