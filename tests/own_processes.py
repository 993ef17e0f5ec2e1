"""The environment for processes that a test starts: its database, its Redis, its outbox."""

import os

from django.conf import settings
from django.db import connection


def environment() -> dict[str, str]:
    """Variables with which the real settings mean the running test's services."""
    database = connection.settings_dict
    login = f"{database['USER']}:{database['PASSWORD']}"
    address = f"{database['HOST']}:{database['PORT']}/{database['NAME']}"
    return {
        **os.environ,
        # The settings under test would move the Redis database on once more.
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "ENVIRONMENT": "test",
        "DATABASE_URL": f"postgres://{login}@{address}",
        "REDIS_URL": settings.REDIS_URL,
        "CELERY_BROKER_URL": settings.CELERY_BROKER_URL,
        "OUTBOX_DIR": str(settings.OUTBOX_DIR),
        "EMAIL_PROVIDER": "outbox",
    }
