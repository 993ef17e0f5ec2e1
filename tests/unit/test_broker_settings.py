"""What each broker is told beside its address: only what it knows."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import broker, settings
from config.broker import broker_settings
from config.checked_env import read_environment
from config.settings import BASE_DIR

RABBITMQ_CONSUMER_TIMEOUT = 1800
SQS_LONGEST_VISIBILITY = 12 * 3600


@pytest.mark.parametrize("url", ["redis://127.0.0.1:6379/0", "rediss://:secret@127.0.0.1:6379/0"])
def test_redis_hands_out_again_and_looks_into_urgent_queues_first(url: str) -> None:
    assert broker_settings(url) == (
        url, {"visibility_timeout": 1800, "queue_order_strategy": "priority"}
    )  # fmt: skip


@pytest.mark.parametrize("url", ["amqp://guest:guest@127.0.0.1:5672//", "amqps://127.0.0.1/v"])
def test_rabbitmq_confirms_and_is_told_nothing_of_redis(url: str) -> None:
    assert broker_settings(url) == (url, {"confirm_publish": True})


def test_sqs_learns_region_and_prefix_from_its_address() -> None:
    url = "sqs://AKIA:secret%2Fkey@?region=eu-central-1&queue_name_prefix=marktlotse-"
    assert broker_settings(url) == (
        "sqs://AKIA:secret%2Fkey@",
        {
            "visibility_timeout": 1800,
            "region": "eu-central-1",
            "queue_name_prefix": "marktlotse-",
        },
    )


def test_sqs_may_take_its_key_from_the_machine() -> None:
    address, options = broker_settings("sqs://?region=eu-central-1")
    assert (address, options) == ("sqs://", {"visibility_timeout": 1800, "region": "eu-central-1"})


def test_a_queue_in_memory_is_told_nothing() -> None:
    assert broker_settings("memory://") == ("memory://", {})


@pytest.mark.parametrize(
    "url",
    [
        "sqs://",
        "sqs://?region=",
        "sqs://?queue_name_prefix=m-",
        "sqs://?region=eu-central-1&wait=1",
    ],
)
def test_sqs_without_a_region_or_with_something_else_is_refused(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("CELERY_BROKER_URL", url)
    with pytest.raises(ImproperlyConfigured, match="CELERY_BROKER_URL must name the region, "):
        read_environment(Path("no.env"))


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("redis://127.0.0.1:6379/0", "redis://127.0.0.1:6379/0"),
        ("amqp://guest:guest@127.0.0.1:5672//", "amqp://guest:guest@127.0.0.1:5672//"),
        # What were left of the parameters, kombu would refuse.
        ("sqs://key:secret@?region=eu-central-1", "sqs://key:secret@"),
    ],
)
def test_celery_reads_and_writes_at_the_address_alone(url: str, address: str) -> None:
    code = (
        "from config.celery import app; print(app.conf.broker_read_url, app.conf.broker_write_url)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "CELERY_BROKER_URL": url},
        cwd=BASE_DIR,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == [address, address]


def test_no_task_runs_so_long_that_its_message_comes_again() -> None:
    looked_at_every = 60
    assert broker.TASK_TIME_LIMIT + looked_at_every < RABBITMQ_CONSUMER_TIMEOUT
    assert broker.TASK_TIME_LIMIT < broker.VISIBILITY_TIMEOUT <= SQS_LONGEST_VISIBILITY
    assert settings.CELERY_TASK_TIME_LIMIT == broker.TASK_TIME_LIMIT
    assert settings.CELERY_TASK_SOFT_TIME_LIMIT < settings.CELERY_TASK_TIME_LIMIT
    # Of each worker process one message is out at a time: what waits behind it is not yet taken.
    assert settings.CELERY_WORKER_PREFETCH_MULTIPLIER == 1
