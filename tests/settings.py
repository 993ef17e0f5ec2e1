"""The settings under test: the real ones, in the environment `test`.

Each process of a parallel run has a Redis database of its own, beside the configured one, as it
has a PostgreSQL database of its own: their queues and counters never mix.
"""

import os
import re

os.environ["ENVIRONMENT"] = "test"
os.environ.setdefault("SITE_URL", "http://testserver")

from config.settings import *  # noqa: F403
from config.settings import CACHES, CELERY_BROKER_URL, DATABASES, REDIS_URL


def _database_of_this_process(url: str) -> str:
    """The Redis URL with the number of its database moved on, by one and the process's number."""
    process = int(re.sub(r"\D", "", os.environ.get("PYTEST_XDIST_WORKER", "")) or 0)
    server, _, number = url.rpartition("/")
    if not number.isdigit():
        server, number = url.rstrip("/"), "0"
    return f"{server}/{(int(number) + 1 + process) % 16}"


_shared_url = REDIS_URL
REDIS_URL = _database_of_this_process(_shared_url)
CACHES["default"]["LOCATION"] = REDIS_URL
if _shared_url == CELERY_BROKER_URL:
    CELERY_BROKER_URL = CELERY_BROKER_READ_URL = CELERY_BROKER_WRITE_URL = REDIS_URL
# A thread of the live server that keeps its connection would keep the test database from going.
DATABASES["default"]["CONN_MAX_AGE"] = 0
