"""The broker that carries tasks, by CELERY_BROKER_URL: Redis, RabbitMQ or SQS."""

from __future__ import annotations

from urllib.parse import urlsplit

from celery import current_app
from django.utils.translation import gettext as _

from notifications.queueing import impatient_connection
from operations.checks.check import Check, failed, passed
from operations.reach import Reach, in_short


def check_broker(reach: Reach) -> Check:
    """Whether a line to it can be opened."""
    try:
        with impatient_connection() as line, line.channel():
            kind = str(line.transport.driver_type)
    except Exception as error:  # each transport has errors of its own
        return failed(
            "broker",
            _("The broker at %(address)s does not answer: %(error)s")
            % {"address": _address(), "error": in_short(error)},
            _(
                "Start the server that CELERY_BROKER_URL (or, without it, REDIS_URL) names, and "
                "see that host, port and password are right."
            ),
        )
    return passed("broker", _("The broker (%(kind)s) answers.") % {"kind": kind})


def waiting_in(queue: str) -> int:
    """How many tasks wait in a queue; 0 when nobody can tell."""
    try:
        with impatient_connection() as line, line.channel() as channel:
            return int(channel.queue_declare(queue, passive=True).message_count)
    except Exception:
        return 0


def _address() -> str:
    """Host and port; names and passwords stay out."""
    parts = urlsplit(str(current_app.conf.broker_write_url or current_app.conf.broker_url or ""))
    return f"{parts.scheme}://{parts.hostname}:{parts.port}" if parts.hostname else parts.scheme
