"""The database: reachable, of a version that is tested, with every table as the code knows it."""

from __future__ import annotations

from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils.translation import gettext as _

from operations.checks.check import Check, failed, passed
from operations.reach import Reach
from operations.unapplied import unapplied

OLDEST, NEWEST = 15, 18
MOST_NAMES = 5


def check_database(reach: Reach) -> Check:
    """Whether it answers, and which version it is."""
    answer = reach.database
    if answer.error:
        return failed(
            "database",
            _("The database does not answer: %(error)s") % {"error": answer.error},
            _(
                "Start PostgreSQL (“systemctl start postgresql” or “docker compose up -d "
                "postgres”), and see that DATABASE_URL names the right host, user and password."
            ),
        )
    version = answer.version // 10_000
    if not OLDEST <= version <= NEWEST:
        return failed(
            "database",
            _("This is PostgreSQL %(version)d.") % {"version": version},
            _("Use PostgreSQL %(oldest)d to %(newest)d.") % {"oldest": OLDEST, "newest": NEWEST},
        )
    return passed("database", _("PostgreSQL %(version)d answers.") % {"version": version})


def check_migrations(reach: Reach) -> Check:
    """Whether every migration of this code has been applied."""
    missing = unapplied(MigrationRecorder(connection).applied_migrations())
    if not missing:
        return passed("migrations", _("All migrations are applied."))
    names = ", ".join(missing[:MOST_NAMES]) + (" …" if len(missing) > MOST_NAMES else "")
    return failed(
        "migrations",
        _("Not applied: %(names)s (%(count)d in all).") % {"names": names, "count": len(missing)},
        _("Run “python manage.py migrate”."),
    )
