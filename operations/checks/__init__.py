"""The checks: one question each about what the marketplace stands on.

Every check takes the servers as `Reach` finds them and answers a `Check`. One that needs a server
which is away says so and asks nothing; one that breaks is itself a failed check.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from datetime import datetime
from typing import NamedTuple

from django.db import ProgrammingError
from django.utils.translation import gettext as _

from operations.checks.beat import check_beat
from operations.checks.broker import check_broker
from operations.checks.check import Check, failed
from operations.checks.clock import check_clock
from operations.checks.database import check_database, check_migrations
from operations.checks.provider import check_provider, check_sms
from operations.checks.redis import check_redis
from operations.checks.sender import check_sender, check_site
from operations.checks.sending import check_pauses, check_sweep
from operations.checks.workers import check_this_worker, check_workers
from operations.reach import Reach, in_short

__all__ = ["ALL_NAMES", "NAMES", "Check", "health", "run_checks"]

logger = logging.getLogger(__name__)


class _Entry(NamedTuple):
    look: Callable[[Reach], Check]
    needs: tuple[str, ...] = ()


CHECKS: dict[str, _Entry] = {
    "database": _Entry(check_database),
    "migrations": _Entry(check_migrations, ("database",)),
    "redis": _Entry(check_redis),
    "broker": _Entry(check_broker),
    "workers": _Entry(check_workers, ("redis",)),
    "beat": _Entry(check_beat, ("redis",)),
    "provider": _Entry(check_provider),
    "sms": _Entry(check_sms),
    "pauses": _Entry(check_pauses, ("database", "redis")),
    "sender": _Entry(check_sender),
    "site": _Entry(check_site),
    "clock": _Entry(check_clock, ("database", "redis")),
    "sweep": _Entry(check_sweep, ("database",)),
}
NAMES = tuple(CHECKS)
# Only by name: not every machine has a worker.
CHECKS["this_worker"] = _Entry(check_this_worker, ("redis",))
ALL_NAMES = tuple(CHECKS)
# What a page may ask for often: a few milliseconds while all is well.
CHEAP = ("database", "redis", "broker", "workers", "beat")


def run_checks(*, now: datetime, only: Collection[str] = NAMES) -> list[Check]:
    """All checks (or `only` these), in a fixed order; never raises.

    With every server away it takes some seconds, for each is waited for once.
    """
    reach = Reach(now)
    try:
        return [_checked(name, reach) for name in ALL_NAMES if name in only]
    finally:
        reach.close()


def health(*, now: datetime) -> list[Check]:
    """Database, Redis, broker, workers and beat: what a page or a container's check asks for."""
    return run_checks(now=now, only=CHEAP)


def _checked(name: str, reach: Reach) -> Check:
    entry = CHECKS[name]
    try:
        for server in entry.needs:
            if getattr(reach, f"{server}_error"):
                return _not_checked(name, server)
        return entry.look(reach)
    except ProgrammingError as error:
        logger.warning("UnableToCheck: %s: %s", name, in_short(error))
        return failed(
            name,
            _("The tables are not those of this code, so this could not be checked."),
            _("First mend what the check “migrations” says."),
        )
    except Exception as error:
        logger.error("UnableToCheck: %s: %s", name, type(error).__name__)
        logger.debug("It broke here:", exc_info=True)
        return failed(
            name,
            _("This could not be checked: %(kind)s: %(error)s")
            % {"kind": type(error).__name__, "error": in_short(error)},
            _(
                "Mend other failures first. If it stays, LOG_LEVEL=DEBUG makes the log say where "
                "the check broke."
            ),
        )


def _not_checked(name: str, server: str) -> Check:
    message, remedy = {
        "database": (
            _("The database does not answer, so this could not be checked."),
            _("First mend what the check “database” says."),
        ),
        "redis": (
            _("Redis does not answer, so this could not be checked."),
            _("First mend what the check “redis” says."),
        ),
    }[server]
    return failed(name, message, remedy)
