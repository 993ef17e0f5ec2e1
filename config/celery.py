"""The Celery application: where tasks come from and which queue each one waits in."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("marktlotse")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
