"""What a worker has read before its first message."""

import json
import subprocess
import sys

LANGUAGES_KNOWN = """
import json
from celery import signals
from config.celery import app
app.loader.init_worker()
from django.urls import get_resolver
before = sorted(get_resolver()._reverse_dict)
signals.worker_init.send(sender=None)
print(json.dumps([before, sorted(get_resolver()._reverse_dict)]))
"""


def test_a_worker_reads_the_sites_addresses_in_each_language_before_its_pool_parts() -> None:
    finished = subprocess.run(
        [sys.executable, "-c", LANGUAGES_KNOWN], check=True, stdout=subprocess.PIPE, text=True
    )
    assert json.loads(finished.stdout.splitlines()[-1]) == [[], ["de", "en", "hr"]]
