"""Lines of the log for programs: one JSON object each, with ids and without people's data."""

from __future__ import annotations

import json
import logging
import re
import traceback
from datetime import UTC, datetime
from typing import Any

from celery._state import get_current_task

from notifications import log_context

# Of what a caller adds to a line (`extra`) only this is written: ids and counts.
KNOWN_EXTRAS = ("run_id", "delivery_ids", "counts")
# An address, or a user and password before a host. Workers' own names may stay.
ADDRESS = re.compile(
    r"(?<![^\s\"'<>()\[\],;:=/])(?!celery@)[^\s\"'<>()\[\],;=@]*@[^\s\"'<>()\[\],;]+"
)
TELEPHONE = re.compile(r"\+\d{6,15}\b")
DEEPEST_FRAMES = 12
LONGEST_MESSAGE = 2000


class JsonLines(logging.Formatter):
    """`time`, `level`, `logger`, `message`; `task`, `run_id`, `delivery_ids`, `error` as known.

    An error is told by its type and its place in the code: its words may quote what somebody wrote.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": without_addresses(_message(record))[:LONGEST_MESSAGE],
            **_task(),
            **log_context.current(),
        }
        line.update(
            {name: record.__dict__[name] for name in KNOWN_EXTRAS if name in record.__dict__}
        )
        if record.exc_info and record.exc_info[1] is not None:
            line.update(_error(record.exc_info[1]))
        return json.dumps(line, ensure_ascii=False, default=str)


def without_addresses(text: str) -> str:
    """The text with every address, telephone number, and log-in of a URL taken out."""
    return TELEPHONE.sub("+…", ADDRESS.sub("…@…", text))


def _message(record: logging.LogRecord) -> str:
    """Celery repeats a failed task's error; its type stands in the line anyway."""
    if record.name == "celery.app.trace" and isinstance(record.args, dict) and record.exc_info:
        return f"Task {record.args.get('name')}[{record.args.get('id')}] failed"
    return record.getMessage()


def _task() -> dict[str, str]:
    task = get_current_task()
    if task is None or not task.request.id:
        return {}
    return {"task": task.name, "task_id": task.request.id}


def _error(error: BaseException) -> dict[str, Any]:
    frames = traceback.extract_tb(error.__traceback__)[-DEEPEST_FRAMES:]
    kind = type(error)
    return {
        "error": f"{kind.__module__}.{kind.__qualname__}",
        "at": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }
