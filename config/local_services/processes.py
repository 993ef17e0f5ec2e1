"""Is that process ours? A process id alone proves nothing: ids are used again."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

# Linux has it; elsewhere ps tells the same, only slower and without word boundaries.
PROC = Path("/proc")


def is_alive(pid: int) -> bool:
    """Whether a process of that id exists, whoever it belongs to."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def was_started_with(pid: int, argument: str) -> bool:
    """Whether the live process `pid` has `argument` on its command line."""
    if pid <= 1 or not is_alive(pid):
        return False
    if (PROC / "self" / "cmdline").exists():
        return argument in _arguments_in_proc(pid)
    return argument in _command_line_from_ps(pid)


def _arguments_in_proc(pid: int) -> list[str]:
    try:
        raw = (PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return []
    return [os.fsdecode(part) for part in raw.split(b"\0")]


def _command_line_from_ps(pid: int) -> str:
    command = ["ps", "-ww", "-o", "command=", "-p", str(pid)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout
