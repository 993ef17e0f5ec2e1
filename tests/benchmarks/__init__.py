"""Benchmarks, runnable as modules: `python -m tests.benchmarks.NAME --json`.

Importing the package sets Django up, so that the modules may import models as usual.
"""

import os

import django

# Queue messages go nowhere: a benchmark measures planning, and must not feed real workers.
os.environ["CELERY_BROKER_URL"] = "memory://"
# A benchmark may start processes with settings of their own.
os.environ["DJANGO_SETTINGS_MODULE"] = os.environ.get("BENCHMARK_SETTINGS", "tests.settings")

django.setup()
