"""A real PostgreSQL and a real Valkey under `.local/`, for machines that run neither.

    urls = ensure_running(base_dir, need_database=True, need_redis=True)

Every process that uses them holds a shared lock for its whole life; one detached keeper
starts them, shares them out, and stops them when the last user is gone, however it went.
"""

from .errors import UnableToStartService
from .users import ServiceUrls, ensure_running

__all__ = ["ServiceUrls", "UnableToStartService", "ensure_running"]
