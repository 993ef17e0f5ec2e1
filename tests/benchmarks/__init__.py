"""Benchmarks, runnable as modules: `python -m tests.benchmarks.NAME --json`.

Importing the package sets Django up, so that the modules may import models as usual. A test that
imports one has Django already: then nothing is changed, or its queues would be changed with it.
"""

import os

import django
from django.conf import settings

if not settings.configured:
    # Queue messages go nowhere: a benchmark measures, and must not feed real workers.
    os.environ["CELERY_BROKER_URL"] = "memory://"
    # A benchmark may start processes with settings of their own.
    os.environ["DJANGO_SETTINGS_MODULE"] = os.environ.get("BENCHMARK_SETTINGS", "tests.settings")
    django.setup()
