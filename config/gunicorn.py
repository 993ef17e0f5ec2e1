"""gunicorn's settings: `gunicorn --config config/gunicorn.py config.wsgi:application`.

Lines of the access log carry no query, no address of a visitor, and only the beginning of secrets
in paths. The processes of one host add up their requests for /metrics in a shared directory.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from config.log_output import logging_settings

SHARED_MEMORY = "/dev/shm"  # noqa: S108  (a file system in memory, not a place for secrets)
METRICS_DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"

_memory = SHARED_MEMORY if Path(SHARED_MEMORY).is_dir() else None

bind = os.environ.get("BIND", "0.0.0.0:8000")
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
threads = 4
worker_tmp_dir = _memory
control_socket_disable = True
# In bytes, gunicorn's most: the longest search that the form can make has some 7,000.
limit_request_line = 8190
access_log_format = "%(m)s %(U)s %(s)s %(B)s bytes %(M)s ms"
logconfig_dict = logging_settings(
    os.environ.get("LOG_LEVEL", "INFO"),
    as_json=os.environ.get("LOG_JSON", "true").lower() not in ("false", "off", "no", "0"),
)
logging.captureWarnings(True)

# Before prometheus_client is imported, which asks for it once.
if not os.environ.get(METRICS_DIRECTORY):
    os.environ[METRICS_DIRECTORY] = tempfile.mkdtemp(prefix="metrics-", dir=_memory)

from prometheus_client import multiprocess  # noqa: E402  (reads the variable)


def child_exit(_server: Any, worker: Any) -> None:
    """What a process counted stays; what it measured of itself ends with it."""
    multiprocess.mark_process_dead(worker.pid)


def on_exit(_server: Any) -> None:
    """Leave nothing behind."""
    shutil.rmtree(os.environ[METRICS_DIRECTORY], ignore_errors=True)
