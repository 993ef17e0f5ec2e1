"""What Celery is told of the broker, by the address of CELERY_BROKER_URL alone.

Redis, RabbitMQ and SQS each know options of their own; what one knows, another refuses or ignores.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlsplit

BROKERS = ("redis", "rediss", "amqp", "amqps", "sqs", "memory")
# A task is ended after so many seconds: before RabbitMQ's consumer_timeout (1,800 s, looked at once
# a minute), at which it closes the line of a worker that has not acknowledged.
TASK_TIME_LIMIT = 1500
# Tasks are asked to end by themselves before that.
TASK_SOFT_TIME_LIMIT = TASK_TIME_LIMIT - 60
# Redis and SQS hand out again what was not acknowledged for so many seconds: after any task's end.
VISIBILITY_TIMEOUT = TASK_TIME_LIMIT + 300
SQS_PARAMETERS = ("region", "queue_name_prefix")


def broker_settings(url: str) -> tuple[str, dict[str, Any]]:
    """The address for Celery, and its CELERY_BROKER_TRANSPORT_OPTIONS.

    Of SQS the address names the region, and what its queues' names begin with:
    `sqs://?region=eu-central-1&queue_name_prefix=marktlotse-`.
    """
    scheme = urlsplit(url).scheme
    if scheme in ("redis", "rediss"):
        # "priority": workers look into their queues in the order named, not in turn.
        return url, {"visibility_timeout": VISIBILITY_TIMEOUT, "queue_order_strategy": "priority"}
    if scheme in ("amqp", "amqps"):
        # Published is what RabbitMQ has confirmed, not what was written to the line.
        return url, {"confirm_publish": True}
    if scheme == "sqs":
        return _sqs_settings(url)
    return url, {}


def sqs_problem(url: str) -> str:
    """What an address of SQS lacks or has too much, as a wish; empty when it is right."""
    parameters = dict(parse_qsl(urlsplit(url).query))
    if not parameters.get("region") or not set(parameters) <= set(SQS_PARAMETERS):
        return (
            "name the region, and beside it only queue_name_prefix: "
            "sqs://?region=eu-central-1&queue_name_prefix=marktlotse-"
        )
    return ""


def _sqs_settings(url: str) -> tuple[str, dict[str, Any]]:
    address, _, query = url.partition("?")
    return address, {"visibility_timeout": VISIBILITY_TIMEOUT, **dict(parse_qsl(query))}
