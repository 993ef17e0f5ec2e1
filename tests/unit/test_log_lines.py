"""One line of the log for programs: its parts, and what is kept out of it."""

import json
import logging
import sys
from typing import Any

import pytest

from config.log_lines import JsonLines, without_addresses
from notifications.log_context import bound


def line(message: str, *args: object, **extra: object) -> dict[str, Any]:
    record = logging.LogRecord("agents.runs", logging.INFO, "", 0, message, args, None)
    record.created = 1_796_212_800.25
    record.__dict__.update(extra)
    text = JsonLines().format(record)
    assert "\n" not in text
    return json.loads(text)


def test_its_parts() -> None:
    assert line("Run %s", 7, counts={"due": 3}) == {
        "time": "2026-12-02T12:00:00.250+00:00",
        "level": "INFO",
        "logger": "agents.runs",
        "message": "Run 7",
        "counts": {"due": 3},
    }


def test_what_is_bound_stands_in_it_and_the_nearest_counts() -> None:
    with bound(run_id=5, delivery_ids=[1, 2]):
        with bound(delivery_ids=[2]):
            assert line("x")["delivery_ids"] == [2]
        assert line("x")["delivery_ids"] == [1, 2]
        assert line("x")["run_id"] == 5
    assert "run_id" not in line("x")


def test_extras_of_libraries_are_left_out() -> None:
    assert "request" not in line("x", request="GET /?q=secret", person="Ana")


def test_an_error_is_told_by_its_type_and_place_not_by_its_words() -> None:
    try:
        raise ValueError("Key (email)=(Ana Horvat) exists")
    except ValueError:
        told = line("UnableToCompose", exc_info=sys.exc_info())
    assert told["error"] == "builtins.ValueError"
    assert "test_log_lines.py:" in told["at"][0]
    assert "Ana" not in json.dumps(told)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("550 <ana.horvat+x@example.com>: no", "550 <…@…>: no"),
        ("to=ana@example.com,bo@example.com", "to=…@…,…@…"),
        ("redis://user:password@127.0.0.1:6379/0", "…@…"),
        ("celery@worker-1 ready.", "celery@worker-1 ready."),
        ("SMS to +4915112345678.", "SMS to +…."),
        ("Batch: 3 of 4 sent", "Batch: 3 of 4 sent"),
    ],
)
def test_addresses_are_taken_out(text: str, wanted: str) -> None:
    assert without_addresses(text) == wanted


def test_a_long_message_is_cut() -> None:
    assert len(line("%s", "x" * 10_000)["message"]) == 2000


def test_a_failed_tasks_error_is_not_repeated() -> None:
    values = {"name": "agents.tasks.report_daily", "id": "a1", "exc": "ValueError('Ana')"}
    record = logging.LogRecord(
        "celery.app.trace", logging.ERROR, "", 0, "Task raised %(exc)s", (values,),
        (ValueError, ValueError("Ana"), None),
    )  # fmt: skip
    told = json.loads(JsonLines().format(record))
    assert told["message"] == "Task agents.tasks.report_daily[a1] failed"
    assert "Ana" not in json.dumps(told)
