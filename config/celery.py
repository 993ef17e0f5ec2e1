"""The Celery application: where tasks come from and which queue each one waits in."""

import os

from celery import Celery

import config.celery_logging
import config.worker_start  # noqa: F401  (both connect signals)
from operations.worker_pulse import WorkerPulse

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("marktlotse")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# Each worker writes signs of life.
app.steps["consumer"].add(WorkerPulse)
