"""The others, in a process of their own: django-post-office, and one `send_mail` after the other.

    python -m tests.benchmarks.sending_others DATABASE TEXTS

TEXTS is a file of JSON lines. Both get finished texts; queueing and sending them is timed.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from pathlib import Path
from typing import Any

from django.core.mail import send_mail
from django.core.management import call_command
from post_office import mail
from post_office.models import STATUS, Email

from tests.benchmarks import scratch

Text = dict[str, Any]


def main(database: str, texts_path: str) -> None:
    logging.disable(logging.WARNING)
    scratch.connect_to(database)
    call_command("migrate", verbosity=0)
    texts = [json.loads(line) for line in Path(texts_path).read_text("utf-8").splitlines()]
    print(json.dumps({**_one_after_the_other(texts), **_post_office(texts)}))


def _one_after_the_other(texts: list[Text]) -> dict[str, float]:
    started, cpu = time.perf_counter(), time.process_time()
    for text in texts:
        send_mail(text["subject"], text["text"], None, [text["to"]], html_message=text["html"])
    return {
        "send_mail_seconds": time.perf_counter() - started,
        "send_mail_cpu_seconds": time.process_time() - cpu,
    }


def _post_office(texts: list[Text]) -> dict[str, float]:
    started, cpu = time.perf_counter(), time.process_time()
    mail.send_many(
        [
            {
                "recipients": [text["to"]],
                "subject": text["subject"],
                "message": text["text"],
                "html_message": text["html"],
                "headers": text["headers"],
            }
            for text in texts
        ]
    )
    queued = time.perf_counter()
    while Email.objects.filter(status=STATUS.queued).exists():
        mail.send_queued(processes=1)
    return {
        "post_office_queueing_seconds": queued - started,
        "post_office_seconds": time.perf_counter() - queued,
        # Of queueing and sending, by all threads.
        "post_office_cpu_seconds": time.process_time() - cpu,
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
